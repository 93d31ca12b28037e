/**
 * The minimum number of different bytes in a key. Fewer occur in less than one of 10^12 random keys, which have about
 * 30.
 */
const minDistinct = 16

/**
 * Returns the reason why a key of 64 hexadecimal characters can be guessed, as the end of a sentence, or undefined for
 * a key that seems random. Detects keys that people type to save time: one repeated character, a repeated word, a
 * sequence, or a passphrase in hexadecimal. No test can prove that a key is random.
 */
export function guessableBecause(keyHex: string): string | undefined {
  const bytes = Buffer.from(keyHex, 'hex')
  if (hasPeriod(keyHex.toLowerCase())) return 'it repeats a pattern'
  if (countsInSteps(bytes)) return 'it counts up or down'
  if (new Set(bytes).size < minDistinct) return 'it has too few distinct bytes'
  if (bytes.every((byte) => byte >= 0x20 && byte < 0x7f)) return 'it is text'
  return undefined
}

/** Detects repetition, which would leave only half of a key to guess. */
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
