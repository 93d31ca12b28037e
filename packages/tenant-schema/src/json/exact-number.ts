/**
 * A number in a JSON text that a double would change. Most parsers read 700000000000000001 as 700000000000000000. A
 * parsed value contains an `ExactNumber` instead of the double, so that a schema checks the number that was sent.
 */
export class ExactNumber {
  readonly #parts: DecimalParts
  constructor(parts: DecimalParts) {
    this.#parts = parts
  }

  get isInteger(): boolean {
    return this.#parts.exponent >= this.#parts.digits.length
  }

  /** The number as an integer and a power of ten. */
  get scaled(): [digits: bigint, exponent: number] {
    const { isNegative, digits, exponent } = this.#parts
    return [BigInt(isNegative ? `-${digits}` : digits), exponent - digits.length]
  }

  /**
   * Compares with another number. The result is negative if this number is smaller, 0 if equal, positive if greater.
   */
  compare(other: number): number {
    return compareParts(this.#parts, partsOf(String(other)))
  }

  /** Canonical text: equal for all notations of the same number, and different from the text of every double. */
  get text(): string {
    const { isNegative, digits, exponent } = this.#parts
    return `${isNegative ? '-' : ''}0.${digits}e${exponent}`
  }
}

/** The parts of a decimal number. Its absolute value is 0.digits × 10^exponent. */
interface DecimalParts {
  readonly isNegative: boolean
  /** Without leading or trailing zeros. Empty for zero. */
  readonly digits: string
  readonly exponent: number
}

/**
 * The number of digits that a double always represents, unless the number is close to the smallest or largest double.
 */
export const maxExactDigits = 15
/** The smallest double with full precision. Below it, the precision decreases with the size. */
const minNormalDouble = 2.2250738585072014e-308
/**
 * The maximum length of a number that a double cannot represent. Longer ones are rejected, because calculations with
 * them take too long.
 */
const maxCharacters = 400

/**
 * Parses a JSON number. Returns a plain number if the shortest text of its double has the same value, as for 0.1.
 * Otherwise returns an `ExactNumber`. Returns NaN if the number is too large, too small, or too long. `mantissaDigits`
 * is the number of digits before the exponent.
 */
export function readNumber(source: string, mantissaDigits: number): number | ExactNumber {
  const value = Number(source)
  if (!Number.isFinite(value)) return Number.NaN
  if (value === 0) return isZero(source) ? value : Number.NaN
  if (mantissaDigits <= maxExactDigits && Math.abs(value) >= minNormalDouble) return value
  const shortest = String(value)
  if (shortest === source) return value
  const parts = partsOf(source)
  if (compareParts(parts, partsOf(shortest)) === 0) return value
  return source.length > maxCharacters ? Number.NaN : new ExactNumber(parts)
}

const isZero = (source: string) => /^[-0.]*(?:[eE]|$)/.test(source)

/**
 * Splits a number. Called for each unusual number of a body, so it avoids regular expressions and lists, which are
 * slow.
 */
function partsOf(source: string): DecimalParts {
  const isNegative = source.startsWith('-')
  const lowerE = source.indexOf('e')
  const exponentAt = lowerE < 0 ? source.indexOf('E') : lowerE
  const mantissa = source.slice(isNegative ? 1 : 0, exponentAt < 0 ? source.length : exponentAt)
  const dot = mantissa.indexOf('.')
  const whole = dot < 0 ? mantissa.length : dot
  const allDigits = dot < 0 ? mantissa : mantissa.slice(0, dot) + mantissa.slice(dot + 1)
  let start = 0
  while (allDigits[start] === '0') start += 1
  let end = allDigits.length
  while (end > start && allDigits[end - 1] === '0') end -= 1
  if (start === end) return { isNegative: false, digits: '', exponent: 0 }
  const exponent = whole - start + (exponentAt < 0 ? 0 : Number(source.slice(exponentAt + 1)))
  return { isNegative, digits: allDigits.slice(start, end), exponent }
}

function compareParts(a: DecimalParts, b: DecimalParts): number {
  const sign = signOf(a)
  if (sign !== signOf(b)) return sign - signOf(b)
  if (a.exponent !== b.exponent) return a.exponent > b.exponent ? sign : -sign
  if (a.digits === b.digits) return 0
  // Both are fractions (0.digits), so they have the same order as their texts.
  return a.digits > b.digits ? sign : -sign
}

const signOf = ({ isNegative, digits }: DecimalParts) => (digits === '' ? 0 : isNegative ? -1 : 1)
