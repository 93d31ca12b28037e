import type { ExactNumber } from '../json/exact-number.ts'

/** Returns true if a number is a multiple of another. Calculates in decimals, so 19.99 is a multiple of 0.01. */
export function isMultiple(value: number | ExactNumber, of: number): boolean {
  if (typeof value === 'number' && Number.isSafeInteger(value) && Number.isSafeInteger(of))
    return value % of === 0
  const [digits, exponent] = typeof value === 'number' ? parts(value) : value.scaled
  const [ofDigits, ofExponent] = parts(of)
  const shift = Math.min(exponent, ofExponent)
  return (digits * 10n ** BigInt(exponent - shift)) % (ofDigits * 10n ** BigInt(ofExponent - shift)) === 0n
}

/** Splits a number into an integer and a power of ten. */
function parts(number: number): [digits: bigint, exponent: number] {
  const [mantissa = '0', exponent = '0'] = String(number).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return [BigInt(whole + fraction), Number(exponent) - fraction.length]
}
