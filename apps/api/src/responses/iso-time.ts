/** Returns a moment as responses have it. Called early: `JSON.stringify` takes twice as long over a Date. */
export const isoTime = (ms: number) => new Date(ms).toISOString()
