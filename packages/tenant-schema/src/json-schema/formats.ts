import { fullFormats } from 'ajv-formats/dist/formats.js'
import type { Run } from './run.ts'

/**
 * The formats that a schema may name, each with the maximum length of a text. A longer text does not match, because the
 * time of some regular expressions grows with the square of the length.
 */
const longest = {
  'date-time': 64,
  date: 10,
  time: 32,
  duration: 64,
  email: 320,
  hostname: 253,
  ipv4: 15,
  ipv6: 45,
  uri: 2_048,
  'uri-reference': 2_048,
  uuid: 45,
  'json-pointer': 2_048,
} as const

type FormatName = keyof typeof longest

export const formatNames = Object.keys(longest) as FormatName[]

/** Returns the predicate of a format, or undefined if the format is not supported. */
export function findFormat(name: unknown): ((text: string, run: Run) => boolean) | undefined {
  const known = formatNames.find((one) => one === name)
  if (!known) return undefined
  const most = longest[known]
  const test = predicateOf(fullFormats[known])
  return (text, run) => {
    if (text.length > most) return false
    run.spend(20 + ((text.length * text.length) >> 3))
    return test(text)
  }
}

function predicateOf(format: (typeof fullFormats)[FormatName]): (text: string) => boolean {
  if (format instanceof RegExp) return (text) => format.test(text)
  const check: unknown = typeof format === 'object' && 'validate' in format ? format.validate : format
  if (check instanceof RegExp) return (text) => check.test(text)
  if (typeof check !== 'function') throw new Error('A format has no predicate.')
  return (text) => check(text) === true
}
