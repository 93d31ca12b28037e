import { Type } from 'typebox'

/**
 * Code points that show nothing and are not in `\p{C}`: joiners, fillers and selectors. U+FE0F is missing: keyboards
 * write it behind an emoji, and two names that differ by it alone are the same.
 */
const invisible =
  '\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u3164\\uFE00-\\uFE0E\\uFFA0\\u{E0100}-\\u{E01EF}'

const name = new RegExp(
  `^(?=.*[^\\p{C}\\p{Z}\\p{M}\\u2800${invisible}])(?!\\s)` +
    `[^\\p{C}\\p{Zl}\\p{Zp}${invisible}]*[^\\s\\p{C}${invisible}]$`,
  'u',
)

/** The format `name`, as a predicate: what `Name` says in words. */
export const isName = (value: string): boolean => name.test(value)

/**
 * The name of something that administrators tell apart by its name. It has something to see, does not begin or end in
 * space, and has nothing that only changes how other text looks: no control or formatting characters (`\p{C}`, which
 * has the bidirectional controls and zero-width characters, and what Unicode has not assigned), no line separators.
 * A format and no pattern: readers of the OpenAPI document do not agree on how to read a pattern beyond ASCII.
 */
export const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  format: 'name',
  description:
    'Something to see, without control, formatting or invisible characters, and without space around it. Kept in NFC.',
})

/** The one form in which a name is kept, however it was typed. */
export const storedName = (name: string): string => name.normalize('NFC')
