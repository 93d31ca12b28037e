import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import { compileSchema } from './compile-schema.ts'
import { limits } from './limits.ts'
import { toEngineSyntax } from './pattern.ts'
import { measureProgram } from './pattern-cost.ts'
import { validateValue } from './validate-value.ts'

/** A thousand in each run; 100,000 by `PATTERN_RUNS=100000`. */
const numRuns = Number(process.env['PATTERN_RUNS'] ?? 1_000)

/** Limits the cost of one pattern, compiled and matched against a text. */
const maxMs = 100
const maxBytes = 16 * 1024 * 1024

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))

const ownMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
const bytes = () => {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Returns the minimum over some attempts, or the first that is clearly good: pauses of the engine do not count. */
function leastOf(run: () => unknown): { ms: number; bytes: number } {
  const least = { ms: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }
  for (let tries = 0; tries < 20; tries++) {
    const [ms, taken] = [ownMs(), bytes()]
    run()
    least.bytes = Math.min(least.bytes, bytes() - taken)
    least.ms = Math.min(least.ms, ownMs() - ms)
    if (least.ms < maxMs / 2 && least.bytes < maxBytes / 2) break
  }
  return least
}

const texts = ['a', 'ab'.repeat(2_000), 'é'.repeat(2_000), '\u{1e942}x'.repeat(700), '0'.repeat(4_000)]

function expectCheap(patterns: readonly string[], text: string) {
  const schema = { allOf: patterns.map((pattern) => ({ pattern })) }
  const compiling = leastOf(() => compileSchema(schema))
  const title = JSON.stringify(patterns).slice(0, 700)
  expect(compiling.ms, `compiling ${title}`).toBeLessThan(maxMs)
  expect(compiling.bytes, `compiling ${title}`).toBeLessThan(maxBytes)
  const compiled = compileSchema(schema)
  if ('problems' in compiled) return 'refused'
  const matching = leastOf(() => validateValue(compiled.root, text))
  expect(matching.ms, `matching ${title}`).toBeLessThan(maxMs)
  expect(matching.bytes, `matching ${title}`).toBeLessThan(maxBytes)
  return 'compiled'
}

/** Parts of patterns, each of which has deceived some engine or some estimate of a pattern's size. */
const part = fc.constantFrom(
  ...[
    'a',
    'b',
    '.',
    'é',
    '\u{1e942}',
    '0',
    '-',
    '^',
    '$',
    '|',
    '\\b',
    '\\B',
    '\\A',
    '\\z',
    '\\/',
    '\\]',
    '\\[',
  ],
  ...['\\d', '\\W', '\\S', '\\s', '\\pL', '\\PL', '\\p{Greek}', '\\P{Any}', '\\p{Lu}', '\\x41', '\\u0041'],
  ...['\\Q', '\\E', '\\Q[\\E', '[]', '[^]', '[', ']', '[^a]', '[a-z]', '[[:word:]]', '[[:^alpha:]]', '[]a]'],
  ...['[\\x00-\\x{10FFFF}]', '[A-\u{1e942}]', '[\\pL\\pN]', '[\\x{80}-\\x{1e942}]', '[^\\PL]', '{', '}', ','],
  ...['(', ')', '(?:', '(?i)', '(?i:', '(?-i)', '(?s)', '(?U)', '(?m-i)', '(?P<n>', '(?<n>', '(?=', '(?<='],
)
const count = fc.constantFrom(0, 1, 2, 3, 9, 10, 31, 33, 99, 100, 500, 999, 1_000, 1_001, 99_999_999)
const repeat = fc.oneof(
  fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{0}', '{,5}', '{01}', '{1,0}'),
  count.map((n) => `{${n}}`),
  count.map((n) => `{${n},}`),
  fc.tuple(count, count).map(([from, to]) => `{${from},${to}}`),
)
const { grown } = fc.letrec<{ grown: string }>((tie) => ({
  grown: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    part,
    fc.tuple(part, repeat).map(([one, many]) => one + many),
    fc.tuple(tie('grown'), repeat).map(([one, many]) => `(?:${one})${many}`),
    fc.tuple(tie('grown'), tie('grown')).map(([a, b]) => `(${a}|${b})`),
    fc.tuple(tie('grown'), tie('grown')).map(([a, b]) => a + b),
    fc.tuple(tie('grown'), fc.nat({ max: 200 })).map(([one, n]) => one.slice(0, 500).repeat(n).slice(0, 600)),
    fc.tuple(fc.constantFrom('(?i)', '[', '[^', '\\Q', ''), tie('grown')).map(([begin, one]) => begin + one),
  ),
}))
const pattern = fc.oneof(
  { weight: 4, arbitrary: grown },
  {
    weight: 1,
    arbitrary: fc.array(fc.oneof(part, repeat), { maxLength: 60 }).map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 100 }) },
)
const fitting = pattern.map((source) => source.slice(0, limits.patternLength))

/** Each took seconds, or a gigabyte, in some engine. */
const hostile: [string, string][] = [
  ['quoted brackets that hide the rest', '\\Q[\\E(?:[a-z]{1000}.{0,1000}){1}'],
  ['quoted brackets before repeats', `\\Q[\\E${'(?:a{31}b{31}){32}'.repeat(20)}`],
  ['an empty class that hides the rest', `[]${'.{1000}'.repeat(70)}`],
  ['an empty class, negated, that hides the rest', `[^]${'(?:.{10}){100}'.repeat(30)}`],
  ['a closing bracket in a class', `[]a]${'.{1000}'.repeat(70)}`],
  ['a repeat of a long group', `(${'abcdefgh'.repeat(60)}){1000}`],
  ['an optional repeat of optional things', `(?:${'a?'.repeat(240)}){0,1000}`],
  ['a long repeat of what never matches', `(?:${'.'.repeat(480)}){1000}[]`],
  ['folded ranges through all planes', `(?i)[${'A-\u{1e942}'.repeat(125)}]`],
  ['folded ranges by escapes', '(?i)[^\\x{41}-\\x{1e942}]'.repeat(21)],
  ['folding that is switched on later', `a(?:b(?s-m:x)(?si:${'[!-\u{1e942}]'.repeat(70)}))`],
  ['Unicode classes without end', '\\pL'.repeat(165)],
  ['Unicode classes in one class', `(?i)[${'\\pL'.repeat(165)}]`],
  ['Unicode classes as alternatives', '\\pL|\\PL|'.repeat(63)],
  ['a Unicode class by the thousand', '(?i)\\pL{1000}'],
  ['groups in groups', `${'('.repeat(240)}\\pL${')'.repeat(240)}`],
  ['repeats of repeats', '((a{10}){10}){10}'],
  ['a repeat behind an empty quotation', `(${'ab'.repeat(200)})\\Q\\E{1000}`],
  ['a repeat behind flags', `(${'ab'.repeat(200)})(?i){1000}`],
]

describe('a pattern', () => {
  test.each(hostile)(
    '%s: is cheap alone, and as many times as a schema allows',
    { timeout: 60_000 },
    (_, source) => {
      for (const text of texts) expectCheap([source], text)
      const many = times(Math.floor(60_000 / (source.length + 16)), (i) => `${source.slice(0, 500)}${i}`)
      expectCheap(many, 'ab')
    },
  )

  test('of any kind, random or hostile, is cheap', () => {
    const outcomes = { compiled: 0, refused: 0 }
    fc.assert(
      fc.property(fitting, fc.constantFrom(...texts), (source, text) => {
        outcomes[expectCheap([source], text)] += 1
      }),
      { numRuns, endOnFailure: true, seed: 1_971 },
    )
    // Neither side may be trivial.
    expect(outcomes.compiled).toBeGreaterThan(numRuns / 10)
    expect(outcomes.refused).toBeGreaterThan(numRuns / 10)
  }, 3_600_000)

  test('becomes no larger a program than was measured before it was compiled', () => {
    let measured = 0
    fc.assert(
      fc.property(fitting, (source) => {
        const translated = toEngineSyntax(source)
        const size = measuredSize(translated)
        if (!size || size.instructions > limits.patternInstructions || size.ranges > limits.patternRanges)
          return
        measured += 1
        expect(RE2JS.compile(translated).programSize()).toBeLessThanOrEqual(size.instructions)
      }),
      { numRuns, endOnFailure: true, seed: 1_972 },
    )
    expect(measured).toBeGreaterThan(numRuns / 10)
  }, 3_600_000)

  test.each([
    '^[a-z0-9._%+-]{1,64}@[a-z0-9.-]{1,253}\\.[a-z]{2,24}$',
    "^[\\p{L}\\p{M}\\p{N} .,'’-]{1,60}$",
    '^(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}$',
    '^\\+?[0-9]{1,4}([ -]?[0-9]){3,20}$',
    '(?i)^[a-z0-9]+(-[a-z0-9]+)*$',
    '^[\\s\\S]{0,500}$',
    '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    '^https://[^\\s/?#]{1,253}(/\\S*)?$',
  ])('of an ordinary form is none too many, eight times over: %s', (source) => {
    const schema = { allOf: times(8, (i) => ({ pattern: `${source}|${i}` })) }
    expect(compileSchema(schema)).toHaveProperty('root')
  })
})

function measuredSize(translated: string) {
  try {
    return measureProgram(translated)
  } catch {
    return undefined
  }
}
