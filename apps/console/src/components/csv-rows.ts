const lineEnd = 10
const quote = 34

/**
 * Creates a function that takes the chunks of a CSV file, and returns the number of rows so far, without the header. A
 * line break between quotes does not end a row.
 */
export function createRowCount(): (chunk: Uint8Array) => number {
  let lines = 0
  let isQuoted = false
  return (chunk) => {
    for (const byte of chunk) {
      // An escaped quote is doubled. It ends the quoted part, and starts another at once, so the result is right.
      if (byte === quote) isQuoted = !isQuoted
      else if (byte === lineEnd && !isQuoted) lines += 1
    }
    return Math.max(0, lines - 1)
  }
}
