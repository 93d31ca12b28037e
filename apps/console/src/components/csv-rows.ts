const lineEnd = 10
const quote = 34

/** Counts the rows of a CSV file as it arrives, without its header. A line break between quotes ends no row. */
export function createRowCount(): (chunk: Uint8Array) => number {
  let lines = 0
  let isQuoted = false
  return (chunk) => {
    for (const byte of chunk) {
      // A doubled quote counts as the end of a quoted part and the start of another.
      if (byte === quote) isQuoted = !isQuoted
      else if (byte === lineEnd && !isQuoted) lines += 1
    }
    return Math.max(0, lines - 1)
  }
}
