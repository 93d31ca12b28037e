import { randomUUID } from 'node:crypto'
import { type ExactNumber, isSurelyHeld, readNumber } from './exact-number.ts'

/** Thrown for a JSON object that has a key twice: which one counts, each reader decides for itself. */
export class DuplicateKey extends Error {
  override readonly name = 'DuplicateKey'
}

/** Deeper values are refused by whoever looks at them, so their numbers are not looked at. */
const deepest = 500

/**
 * Parses JSON so that the value says no less than the text: a number that a double does not hold becomes an
 * `ExactNumber`, and a key that stands twice in one object is refused. Costs one pass over the text more than
 * JSON.parse where every number is an ordinary one.
 *
 * @throws SyntaxError, DuplicateKey
 */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const { members, depth, numbers } = scan(text)
  // JSON.parse keeps one member of each name: where some are missing, some had the same.
  if (countMembers(value) < members) throw new DuplicateKey()
  if (numbers.length === 0 || depth > deepest) return value
  const read = numbers.map(([start, end]) => readNumber(text.slice(start, end)))
  if (read.every(isOrdinary)) return value
  return replaceNumbers(text, numbers, read)
}

type Place = readonly [start: number, end: number]

const quote = 0x22
const backslash = 0x5c

/** What a syntactically good JSON text holds. `numbers` are the places of those that a double may not hold. */
function scan(text: string) {
  const numbers: Place[] = []
  let members = 0
  let depth = 0
  let level = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === quote) i = endOfString(text, i)
    else if (code === 0x3a) members += 1
    else if (code === 0x7b || code === 0x5b) depth = Math.max(depth, ++level)
    else if (code === 0x7d || code === 0x5d) level -= 1
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      const start = i
      while (isOfNumber(text.charCodeAt(i + 1))) i += 1
      if (!isSurelyHeld(text.slice(start, i + 1))) numbers.push([start, i + 1])
    }
  }
  return { members, depth, numbers }
}

/** The place of the quote that ends the string that begins here. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; ; i++) {
    const code = text.charCodeAt(i)
    if (code === backslash) i += 1
    else if (code === quote) return i
  }
}

/** A digit, or one of `+ - . E e`. */
const isOfNumber = (code: number) =>
  (code >= 0x30 && code <= 0x39) ||
  code === 0x2e ||
  code === 0x65 ||
  code === 0x45 ||
  code === 0x2b ||
  code === 0x2d

/** Does not recurse: the value may be as deep as its text is long. */
function countMembers(value: unknown): number {
  let count = 0
  const waiting = [value]
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (typeof one !== 'object' || one === null) continue
    const inner = Object.values(one)
    if (!Array.isArray(one)) count += inner.length
    for (const part of inner) if (typeof part === 'object' && part !== null) waiting.push(part)
  }
  return count
}

const isOrdinary = (read: number | ExactNumber) => typeof read === 'number' && Number.isFinite(read)

/** Parses the text again with a mark in each of the places, and puts the numbers where the marks are. */
function replaceNumbers(
  text: string,
  places: readonly Place[],
  numbers: readonly (number | ExactNumber)[],
): unknown {
  // Nobody who sends a text can guess it.
  const mark = randomUUID()
  let marked = ''
  let end = 0
  for (const [i, [start, next]] of places.entries()) {
    marked += `${text.slice(end, start)}"${mark}${i}"`
    end = next
  }
  return JSON.parse(marked + text.slice(end), (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? numbers[Number(value.slice(mark.length))] : value,
  )
}
