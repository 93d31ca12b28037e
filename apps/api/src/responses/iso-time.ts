/**
 * Formats a time for responses. Call it before `JSON.stringify`, which takes twice as long for a `Date` as for this
 * string.
 */
export const isoTime = (ms: number) => new Date(ms).toISOString()
