import { type ExactNumber, maxExactDigits, readNumber } from './exact-number.ts'

/** Thrown for a JSON object with a duplicate key, because parsers disagree about which of its values counts. */
export class DuplicateKey extends Error {
  override readonly name = 'DuplicateKey'
}

/**
 * Parses JSON without losing information: a number that a double cannot represent becomes an `ExactNumber`, and a
 * duplicate key is rejected. Compared with JSON.parse, it takes an additional pass over the text and one over the
 * value. If there is an `ExactNumber`, it parses the text a second time.
 *
 * @throws SyntaxError, DuplicateKey
 */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const { members, unusual } = scan(text)
  const holder: [unknown] = [value]
  // JSON.parse keeps one member for each name. So if members are missing, a name occurred twice.
  if (countMembers(holder) < members) throw new DuplicateKey()
  if (unusual.length > 0) fillIn(holder, [JSON.parse(markNumbers(text, unusual))], unusual)
  return holder[0]
}

/** A number in the text that a double cannot represent, and the value that replaces it. */
interface Unusual {
  readonly start: number
  readonly end: number
  readonly read: number | ExactNumber
}

const quote = 0x22
const backslash = 0x5c
const dot = 0x2e
const minus = 0x2d

/** Counts the members of a valid JSON text, and finds numbers that a double cannot represent exactly. */
function scan(text: string) {
  const unusual: Unusual[] = []
  let members = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === quote) i = endOfString(text, i)
    else if (code === 0x3a) members += 1
    else if (code === minus || isDigit(code)) {
      const start = i
      const mantissaEnd = endOfMantissa(text, start)
      const end = isExponent(text.charCodeAt(mantissaEnd)) ? endOfExponent(text, mantissaEnd) : mantissaEnd
      // A double represents every number with few digits and a short exponent, so most numbers need no further check.
      if (mantissaEnd - start > maxExactDigits || end - mantissaEnd > maxUsualPower) {
        const read = readNumber(text.slice(start, end), digitsBetween(text, start, mantissaEnd))
        if (typeof read !== 'number' || Number.isNaN(read)) unusual.push({ start, end, read })
      }
      i = end - 1
    }
  }
  return { members, unusual }
}

/** The maximum length of an exponent, e.g. `e99`, with which a double still represents 15 digits. */
const maxUsualPower = 3

/** Returns the index of the quote that ends the string at `start`. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; ; i++) {
    const code = text.charCodeAt(i)
    if (code === backslash) i += 1
    else if (code === quote) return i
  }
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39
const isExponent = (code: number) => code === 0x65 || code === 0x45

function endOfMantissa(text: string, start: number): number {
  let end = start + 1
  for (let code = text.charCodeAt(end); isDigit(code) || code === dot; code = text.charCodeAt(end)) end += 1
  return end
}

/** Returns the index after an exponent. In valid JSON, the letter `e` is followed by a digit or a sign. */
function endOfExponent(text: string, letter: number): number {
  let end = letter + 2
  while (isDigit(text.charCodeAt(end))) end += 1
  return end
}

function digitsBetween(text: string, start: number, end: number): number {
  let count = 0
  for (let i = start; i < end; i++) if (isDigit(text.charCodeAt(i))) count += 1
  return count
}

/** Returns the text with each of the numbers replaced by a string, a mark that contains the index of the number. */
function markNumbers(text: string, numbers: readonly Unusual[]): string {
  let marked = ''
  let from = 0
  for (const [i, { start, end }] of numbers.entries()) {
    marked += `${text.slice(from, start)}"${i}"`
    from = end
  }
  return marked + text.slice(from)
}

/**
 * Counts the members of all objects in a value. Does not recurse, because the nesting may be as deep as the text is
 * long.
 */
function countMembers(root: object): number {
  let count = 0
  const waiting = [root]
  for (let one = waiting.pop(); one; one = waiting.pop()) {
    const inner: unknown[] = Array.isArray(one) ? one : Object.values(one)
    if (inner !== one) count += inner.length
    for (const part of inner) if (typeof part === 'object' && part !== null) waiting.push(part)
  }
  return count
}

/**
 * Replaces the numbers of the value by the exact numbers. The marked value has a string where the value has a number. A
 * string of the sender is a string in both, so it is never mistaken for a mark. Does not recurse, for the same reason.
 */
function fillIn(root: object, marked: object, numbers: readonly Unusual[]): void {
  const waiting = [root, marked]
  while (waiting.length > 0) {
    const names = waiting.pop() as Record<string | number, unknown>
    const one = waiting.pop() as Record<string | number, unknown>
    const visit = (key: string | number) => {
      const inner = one[key]
      const name = names[key]
      // The assignment is safe: JSON.parse has already created every key, even `__proto__`, as an own property.
      if (typeof inner === 'number' && typeof name === 'string') one[key] = numbers[Number(name)]?.read
      else if (isObject(inner) && isObject(name)) waiting.push(inner, name)
    }
    if (Array.isArray(one)) for (let i = 0; i < one.length; i++) visit(i)
    else for (const key of Object.keys(one)) visit(key)
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
