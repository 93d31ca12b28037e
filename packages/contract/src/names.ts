import { Type } from 'typebox'

/**
 * The code points without a glyph: joiners, fillers, and selectors. U+FE0F is not among them, because keyboards write
 * it after an emoji. Two names that differ only by it count as the same.
 */
const invisible =
  '\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u3164\\uFE00-\\uFE0E\\uFFA0\\u{E0100}-\\u{E01EF}'

const name = new RegExp(
  `^(?=.*[^\\p{C}\\p{Z}\\p{M}\\u2800${invisible}])(?!\\s)` +
    `[^\\p{C}\\p{Zl}\\p{Zp}${invisible}]*[^\\s\\p{C}${invisible}]$`,
  'u',
)

/** Returns true if a text has the format `name`, which `Name` describes in words. */
export const isName = (value: string): boolean => name.test(value)

/**
 * A name by which administrators identify an object. It has a visible character, and does not begin or end with a
 * space. It contains no line separators, and no control or formatting characters (`\p{C}`): no bidirectional controls,
 * no zero-width characters, and no code points that Unicode has not assigned.
 *
 * The rule is a format and not a pattern, because readers of the OpenAPI document disagree on patterns beyond ASCII.
 */
export const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  format: 'name',
  description:
    'Visible text without leading or trailing spaces, and without control, formatting, or invisible ' +
    'characters. It is stored in the Unicode form NFC.',
})

/** Returns the form of a name that is stored (NFC). It is the same for all encodings of the same characters. */
export const storedName = (name: string): string => name.normalize('NFC')
