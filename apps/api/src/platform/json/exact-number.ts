/**
 * A number of a JSON text that a double cannot hold as it was written: 700000000000000001 becomes
 * 700000000000000000 in most readers. It stands in a parsed value in place of what it would have become, so that
 * rules are held against the number that was sent. Its value is 0.digits × 10^exponent.
 */
export class ExactNumber {
  readonly #parts: DecimalParts
  constructor(parts: DecimalParts) {
    this.#parts = parts
  }

  get isInteger(): boolean {
    return this.#parts.exponent >= this.#parts.digits.length
  }

  /** As an integer times a power of ten. */
  get scaled(): [digits: bigint, exponent: number] {
    const { isNegative, digits, exponent } = this.#parts
    return [BigInt(isNegative ? `-${digits}` : digits), exponent - digits.length]
  }

  /** Below, at or above zero as this number is below, at or above the other. */
  compare(other: number): number {
    return compareParts(this.#parts, partsOf(String(other)))
  }

  /** One text for all spellings of the number, and for no number that a double holds. */
  get text(): string {
    const { isNegative, digits, exponent } = this.#parts
    return `${isNegative ? '-' : ''}0.${digits}e${exponent}`
  }
}

/** Digits have zeros at neither end; zero has none. */
interface DecimalParts {
  readonly isNegative: boolean
  readonly digits: string
  readonly exponent: number
}

/** Shorter numbers without an exponent are held by a double, whatever their digits. */
const alwaysHeld = 15
/** Longer numbers that a double does not hold are refused: reckoning with them is work. */
const mostCharacters = 400

/**
 * What a JSON number is read as: itself where a double holds it, an `ExactNumber` where it does not, and NaN
 * where it is beyond what any reader could keep.
 */
export function readNumber(source: string): number | ExactNumber {
  const value = Number(source)
  if (isSurelyHeld(source)) return value
  const parts = partsOf(source)
  if (compareParts(parts, partsOf(String(value))) === 0) return value
  const isBeyond = !Number.isFinite(value) || value === 0 || source.length > mostCharacters
  return isBeyond ? Number.NaN : new ExactNumber(parts)
}

/** True without a doubt; the others are looked at. */
export const isSurelyHeld = (source: string): boolean =>
  source.length <= alwaysHeld && !source.includes('e') && !source.includes('E')

function partsOf(source: string): DecimalParts {
  const isNegative = source.startsWith('-')
  const [mantissa = '', power = '0'] = source.slice(isNegative ? 1 : 0).split(/e/i)
  const [whole = '', fraction = ''] = mantissa.split('.')
  const all = whole + fraction
  let start = 0
  while (all[start] === '0') start += 1
  let end = all.length
  while (end > start && all[end - 1] === '0') end -= 1
  if (start === end) return { isNegative: false, digits: '', exponent: 0 }
  return { isNegative, digits: all.slice(start, end), exponent: whole.length - start + Number(power) }
}

function compareParts(a: DecimalParts, b: DecimalParts): number {
  const sign = signOf(a)
  if (sign !== signOf(b)) return sign - signOf(b)
  if (a.exponent !== b.exponent) return a.exponent > b.exponent ? sign : -sign
  if (a.digits === b.digits) return 0
  // Both are 0.digits: the order of such numbers is the order of their texts.
  return a.digits > b.digits ? sign : -sign
}

const signOf = ({ isNegative, digits }: DecimalParts) => (digits === '' ? 0 : isNegative ? -1 : 1)
