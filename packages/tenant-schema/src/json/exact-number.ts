/**
 * A number of a JSON text that a double cannot represent: most readers turn 700000000000000001 into 700000000000000000.
 * A parsed value contains it in place of the double, so that rules check the number that was sent. Its value is
 * 0.digits × 10^exponent.
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

  /** Returns a number below, at or above zero if this number is below, at or above the other. */
  compare(other: number): number {
    return compareParts(this.#parts, partsOf(String(other)))
  }

  /** The same text for all spellings of the number, and different from that of every double. */
  get text(): string {
    const { isNegative, digits, exponent } = this.#parts
    return `${isNegative ? '-' : ''}0.${digits}e${exponent}`
  }
}

/** The digits without leading and trailing zeros. Zero has no digits. */
interface DecimalParts {
  readonly isNegative: boolean
  readonly digits: string
  readonly exponent: number
}

/**
 * A double represents all numbers with at most this many digits, unless they are next to its smallest or its largest.
 */
export const digitsAlwaysHeld = 15
/** Below this, the precision of a double decreases with its size. */
const leastOfFullPrecision = 2.2250738585072014e-308
/** Longer numbers that a double cannot represent are rejected: calculating with them is expensive. */
const maxCharacters = 400

/**
 * Parses a JSON number. Returns a number if a double represents it exactly, an `ExactNumber` if not, and NaN if the number
 * is too large, too small, or too long. `digits` is the number of digits before an exponent.
 */
export function readNumber(source: string, digits: number): number | ExactNumber {
  const value = Number(source)
  if (!Number.isFinite(value)) return Number.NaN
  if (value === 0) return isZero(source) ? value : Number.NaN
  if (digits <= digitsAlwaysHeld && Math.abs(value) >= leastOfFullPrecision) return value
  const held = String(value)
  if (held === source) return value
  const parts = partsOf(source)
  if (compareParts(parts, partsOf(held)) === 0) return value
  return source.length > maxCharacters ? Number.NaN : new ExactNumber(parts)
}

const isZero = (source: string) => /^[-0.]*(?:[eE]|$)/.test(source)

/** Called for each unusual number of a body, so it avoids expressions and lists. */
function partsOf(source: string): DecimalParts {
  const isNegative = source.startsWith('-')
  const small = source.indexOf('e')
  const power = small < 0 ? source.indexOf('E') : small
  const mantissa = source.slice(isNegative ? 1 : 0, power < 0 ? source.length : power)
  const dot = mantissa.indexOf('.')
  const whole = dot < 0 ? mantissa.length : dot
  const all = dot < 0 ? mantissa : mantissa.slice(0, dot) + mantissa.slice(dot + 1)
  let start = 0
  while (all[start] === '0') start += 1
  let end = all.length
  while (end > start && all[end - 1] === '0') end -= 1
  if (start === end) return { isNegative: false, digits: '', exponent: 0 }
  const exponent = whole - start + (power < 0 ? 0 : Number(source.slice(power + 1)))
  return { isNegative, digits: all.slice(start, end), exponent }
}

function compareParts(a: DecimalParts, b: DecimalParts): number {
  const sign = signOf(a)
  if (sign !== signOf(b)) return sign - signOf(b)
  if (a.exponent !== b.exponent) return a.exponent > b.exponent ? sign : -sign
  if (a.digits === b.digits) return 0
  // Both are 0.digits, so their order is that of their texts.
  return a.digits > b.digits ? sign : -sign
}

const signOf = ({ isNegative, digits }: DecimalParts) => (digits === '' ? 0 : isNegative ? -1 : 1)
