import { Type } from 'typebox'

/**
 * Code points without a glyph: joiners, fillers and selectors. U+FE0F is not included: keyboards write it after an
 * emoji, and two names that differ by it alone are the same.
 */
const invisible =
  '\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u3164\\uFE00-\\uFE0E\\uFFA0\\u{E0100}-\\u{E01EF}'

const name = new RegExp(
  `^(?=.*[^\\p{C}\\p{Z}\\p{M}\\u2800${invisible}])(?!\\s)` +
    `[^\\p{C}\\p{Zl}\\p{Zp}${invisible}]*[^\\s\\p{C}${invisible}]$`,
  'u',
)

/** Checks the format `name`; `Name` describes it in words. */
export const isName = (value: string): boolean => name.test(value)

/**
 * A name by which administrators identify an object. It has a visible character, does not begin or end in space, and
 * contains nothing that only changes the look of other text: no control or formatting characters (`\p{C}`, which
 * includes the bidirectional controls, zero-width characters, and code points that Unicode has not assigned), no line
 * separators.
 *
 * A format instead of a pattern, because readers of the OpenAPI document disagree on patterns beyond ASCII.
 */
export const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  format: 'name',
  description:
    'Visible text without leading or trailing spaces, and without control, formatting, or invisible ' +
    'characters. It is stored in the Unicode form NFC.',
})

/** Returns the stored form of a name, which is the same for all spellings. */
export const storedName = (name: string): string => name.normalize('NFC')
