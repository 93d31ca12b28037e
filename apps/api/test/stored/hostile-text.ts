import fc from 'fast-check'

/** Strings that parsers, escapes, and encoders commonly alter. */
export const specimens: readonly string[] = [
  ...['\\', 'one \\ two', 'C:\\temp\\new', 'a\\\\b', 'ends with \\', 'ends with \\\\', `${'\\'.repeat(40)}`],
  ...[`${'\\'.repeat(39)}n`, 'say \\"hi\\"', 'say "hi"', '"', "it's", "\\'", "E'\\\\n'", '"\\'],
  ...['\\u0041', '\\u0000', '\\ud800', '\\x41', '\\x', '\\101', '\\N', '\\.', '\\r\\n'],
  ...['$1', '$$a$$', '%', '%s %1$s %%', '%5C', '_', "'; drop table members; --", '{a,"b"}', '{}', 'NULL'],
  ...['null', '__proto__', '$(1)', '{{1}}', '<b>&amp;"</b>', '=1+1', '+1', '-1', '@SUM(A1)', ';=1+1', ', x'],
  ...['a\u2028b\u2029c', 'a\u0085b', 'a\nb', 'a\r\n=1+1', 'a\rb', 'a\n"=1', 'tab\there', '\t=1'],
  ...[
    '😀 👩‍🚀 🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    'e\u0301\u0323 Å',
    'İstanbul ı ẞ',
    'עברית مرحبا',
    'left\u202Etfel',
    '\u2066isolate\u2069',
  ],
  ...[
    '\uFEFFmark',
    '\u200Bzero',
    '\uFFFD',
    'nul \0 inside',
    'lone \ud800 high',
    'lone \udc00 low',
    '\x7f\x01',
  ],
  ...['漢字 '.repeat(20), `${'x\\"\'$1%😀'.repeat(1_000)}`],
]

const fragment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...specimens.filter((one) => one.length < 200)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }) },
)

/** Generates random strings from the specimens and other characters. */
export const hostileText = fc
  .array(fragment, { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(''))
  .filter((text) => /[^A-Za-z0-9 .-]/.test(text))

/** Specimens that are also sent alone, because a joined text would hide defects at the start and the end. */
const alone = ['ends with \\', '\uFEFFmark', '\\'.repeat(40), '=1+1', '"\\']

/**
 * Returns all specimens for a field in few texts. Joins specimens that the field accepts, up to its limits. Each other
 * specimen is a separate text.
 */
export function textsFor(takes: (text: string) => boolean): string[] {
  const joined: string[] = []
  for (const one of specimens.filter(takes)) {
    const last = joined.at(-1)
    const longer = `${last}|${one}`
    if (last !== undefined && takes(longer)) joined[joined.length - 1] = longer
    else joined.push(one)
  }
  return [...joined, ...alone.filter(takes), ...specimens.filter((one) => !takes(one))]
}
