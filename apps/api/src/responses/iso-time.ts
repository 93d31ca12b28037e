let lastMs = Number.NaN
let last = ''

/**
 * Formats a time for responses. Call it before `JSON.stringify`, which takes twice as long for a `Date` as for this
 * string. Reuses the last result, because many members have the same time.
 */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    last = new Date(ms).toISOString()
    lastMs = ms
  }
  return last
}
