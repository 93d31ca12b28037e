/**
 * The minimum number of different bytes in a key. A random key of 32 bytes has about 30, and fewer than 16 in less than
 * one of 10^12 cases.
 */
const minDistinct = 16

/**
 * Detects keys that people type to save time: a repeated character or word, a sequence, or a passphrase in hexadecimal.
 * Returns the reason as the end of a sentence, or undefined if the key seems random. No test can prove that it is.
 * `keyHex` has 64 hexadecimal characters.
 */
export function guessableBecause(keyHex: string): string | undefined {
  const bytes = Buffer.from(keyHex, 'hex')
  if (hasPeriod(keyHex.toLowerCase())) return 'it repeats a pattern'
  if (countsInSteps(bytes)) return 'it counts up or down'
  if (new Set(bytes).size < minDistinct) return 'it has too few distinct bytes'
  if (bytes.every((byte) => byte >= 0x20 && byte < 0x7f)) return 'it is text'
  return undefined
}

/** Returns true if the key repeats itself, so that at most half of it would have to be guessed. */
function hasPeriod(text: string): boolean {
  for (let period = 1; period <= text.length / 2; period++) {
    if (text.slice(period) === text.slice(0, -period)) return true
  }
  return false
}

const countsInSteps = (bytes: Buffer) => {
  const step = (at: number) => ((bytes[at] ?? 0) - (bytes[at - 1] ?? 0)) & 0xff
  return bytes.every((_, at) => at === 0 || step(at) === step(1))
}
