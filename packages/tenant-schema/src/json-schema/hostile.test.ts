import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileSchema } from './compile-schema.ts'
import { validateValue } from './validate-value.ts'

/** A few hundred in each run; 10,000 by `JSON_SCHEMA_RUNS=10000`. */
const numRuns = Number(process.env['JSON_SCHEMA_RUNS'] ?? 300)

/** The maximum time for which the event loop may be blocked, in milliseconds of this process's own time. */
const maxMs = 100

const ownMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Returns the shortest of some attempts, or the first that is clearly good: pauses of the engine do not count. */
function timed<T>(run: () => T): { ms: number; result: T } {
  let best = Number.POSITIVE_INFINITY
  for (let tries = 0; ; tries++) {
    const start = ownMs()
    const result = run()
    best = Math.min(best, ownMs() - start)
    if (best < maxMs / 2 || tries === 19) return { ms: best, result }
  }
}

function expectSwift(title: string, schema: unknown, value: unknown) {
  const compiling = timed(() => compileSchema(schema))
  expect(compiling.ms, `compiling ${title}`).toBeLessThan(maxMs)
  const { result } = compiling
  if ('problems' in result) return 'refused'
  const validating = timed(() => validateValue(result.root, value))
  expect(validating.ms, `validating ${title}`).toBeLessThan(maxMs)
  return validating.result[0]?.code ?? 'accepted'
}

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
const object = <T>(n: number, entry: (i: number) => [string, T]) => Object.fromEntries(times(n, entry))
const nested = (levels: number, wrap: (inner: unknown) => unknown, core: unknown) => {
  let made = core
  for (let i = 0; i < levels; i++) made = wrap(made)
  return made
}
/** Returns a chain in which each schema refers twice to the previous one. */
const doubling = (levels: number) => ({
  $defs: object(levels, (i) => [
    `a${i}`,
    i === 0 ? { type: 'string' } : { allOf: [{ $ref: `#/$defs/a${i - 1}` }, { $ref: `#/$defs/a${i - 1}` }] },
  ]),
  $ref: `#/$defs/a${levels - 1}`,
})

/** Title, schema, value: each has stalled, crashed or deceived some validator. */
const attacks: [string, unknown, unknown][] = [
  ['doubling references', doubling(25), 5],
  ['doubling references just below the limit', doubling(12), 5],
  [
    'doubling recursion into the value',
    {
      anyOf: [
        { type: 'string' },
        { properties: { a: { $ref: '#' } }, required: ['a', 'x'] },
        { properties: { a: { $ref: '#' } }, required: ['y'] },
      ],
    },
    nested(60, (a) => ({ a }), 's'),
  ],
  ['an error for each item', { items: { type: 'string', minimum: 5, enum: ['a'] } }, times(80_000, (i) => i)],
  ['a quiet look at each item', { not: { items: { type: 'number' } } }, times(80_000, (i) => i)],
  [
    'every key against many branches',
    { anyOf: times(300, (i) => ({ additionalProperties: { type: 'string' }, required: [`z${i}`] })) },
    object(15_000, (i) => [`k${i}`, 'x']),
  ],
  [
    'objects in enum',
    { items: { enum: times(900, (a) => ({ a, b: [a] })) } },
    times(15_000, (a) => ({ a, b: [a] })),
  ],
  ['unique objects', { uniqueItems: true }, times(20_000, (a) => ({ a }))],
  [
    'unique items, again and again',
    { allOf: times(100, () => ({ uniqueItems: true })) },
    times(40_000, (i) => i),
  ],
  [
    'many properties for each item',
    { properties: object(900, (i) => [`p${i}`, {}]), items: { $ref: '#' } },
    times(60_000, () => ({})),
  ],
  [
    'required by the thousand',
    { items: { required: times(4_000, (i) => `p${i}`) } },
    times(60_000, () => ({})),
  ],
  [
    'nested unevaluatedProperties',
    nested(20, (inner) => ({ allOf: [inner], unevaluatedProperties: false }), { additionalProperties: true }),
    object(15_000, (i) => [`k${i}`, 1]),
  ],
  ['counting code points', { allOf: times(900, () => ({ minLength: 100_000 })) }, '😀'.repeat(60_000)],
  [
    'multiples of next to nothing',
    { items: { multipleOf: 1e-300 } },
    times(15_000, () => 1.7976931348623157e308),
  ],
  ['the classic that backtracks', { pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`],
  [
    'an automaton that explodes',
    { pattern: '(a|b)*a(a|b){14}$' },
    times(9_000, (i) => 'ab'[((i * 7919) % 13) & 1]).join(''),
  ],
  [
    'long Unicode classes',
    { allOf: times(64, (i) => ({ pattern: `(?i)[\\p{L}\\p{N}]{100}[\\p{Greek}a-z]{9}${i}` })) },
    'é'.repeat(5_000),
  ],
  [
    'as many patterns as there may be',
    { allOf: times(60, (i) => ({ pattern: `^[a-z]{${i}}$` })) },
    'a'.repeat(2_000),
  ],
  [
    'patterns for keys',
    { patternProperties: object(60, (i) => [`^a.*${i}$`, {}]) },
    object(15_000, (i) => [`a${i}`, 1]),
  ],
  ['repeats of repeats', { pattern: '((a{100}){100}){100}' }, 'a'],
  ['a repeat of a long group', { pattern: `(${'abcdefgh'.repeat(60)}){1000}` }, 'a'],
  ...[
    'date-time',
    'date',
    'time',
    'duration',
    'email',
    'hostname',
    'ipv4',
    'ipv6',
    'uri',
    'uri-reference',
    'uuid',
    'json-pointer',
  ].flatMap((format): [string, unknown, unknown][] =>
    ['a', 'a-', '1:', 'a.', '/', '%', '9', 'P1', 'a@a.'].map((part) => [
      `the format ${format} of ${part}`,
      { items: { format } },
      times(120, () => `${part.repeat(2_000 / part.length)}\\`),
    ]),
  ),
  ['3,000 levels of schema', nested(3_000, (a) => ({ properties: { a } }), {}), {}],
  ['3,000 levels of value', { items: { $ref: '#' } }, nested(3_000, (a) => [a], 1)],
  ['100,000 levels of value', {}, nested(100_000, (a) => [a], 1)],
  ['10,000 properties', { properties: object(10_000, (i) => [`p${i}`, {}]) }, {}],
  ['1,000 branches', { anyOf: times(1_000, () => ({})) }, {}],
  ['a schema of a megabyte', { description: 'x'.repeat(1_000_000) }, {}],
]

describe('a hostile schema or payload', () => {
  test.each(attacks)('%s: delays no other request', (title, schema, value) => {
    expectSwift(title, schema, value)
  })

  test('random schemas that combine all keywords', () => {
    const size = fc.constantFrom(1, 50, 500, 900)
    const leaf = fc.constantFrom<unknown>(
      true,
      { type: 'string' },
      { minLength: 5 },
      { pattern: '^(a|b)*a(a|b){9}$' },
      { format: 'uri' },
      { uniqueItems: true },
      { enum: [{ a: 1 }] },
      { required: ['a', 'b'] },
      { additionalProperties: false },
      { $ref: '#' },
      { $ref: '#/$defs/x' },
    )
    const wrap = fc.constantFrom<(inner: unknown, n: number) => unknown>(
      (inner) => ({ items: inner }),
      (inner) => ({ additionalProperties: inner }),
      (inner) => ({ not: inner }),
      (inner) => ({ contains: inner }),
      (inner) => ({ propertyNames: inner }),
      (inner) => ({ allOf: [inner], unevaluatedProperties: false }),
      (inner) => ({ prefixItems: [inner, inner] }),
      (inner, n) => ({ anyOf: times(n, () => inner) }),
      (inner, n) => ({ allOf: times(n, () => inner) }),
      (inner, n) => ({ oneOf: times(n, () => inner) }),
      (inner, n) => ({ properties: object(n, (i) => [`k${i}`, inner]) }),
      (inner, n) => ({ dependentSchemas: object(n, (i) => [`k${i}`, inner]) }),
    )
    // Reduces the sizes to those of the largest request, because sizes multiply.
    const within = (most: number, sizes: readonly number[]) => {
      let left = most
      return sizes.map((wanted) => {
        const taken = Math.max(1, Math.min(wanted, Math.floor(left)))
        left /= taken
        return taken
      })
    }
    const schema = fc
      .tuple(leaf, fc.array(fc.tuple(wrap, size), { maxLength: 4 }), leaf)
      .map(([core, wraps, x]) => {
        const sizes = within(
          1_500,
          wraps.map(([, n]) => n),
        )
        const made = wraps.reduce<unknown>((inner, [one], i) => one(inner, sizes[i] ?? 1), core)
        return { ...(made as object), $defs: { x } }
      })
    const length = fc.constantFrom(1, 100, 10_000)
    const value = fc
      .tuple(
        fc.constantFrom<unknown>('a', 'ab'.repeat(500), 1, { a: 1 }, []),
        fc.array(fc.tuple(fc.boolean(), length), { maxLength: 2 }),
      )
      .map(([core, wraps]) => {
        const sizes = within(
          (200 * 1024) / (JSON.stringify(core).length + 8),
          wraps.map(([, n]) => n),
        )
        return wraps.reduce<unknown>((inner, [asList], i) => {
          const n = sizes[i] ?? 1
          return asList ? times(n, () => inner) : object(n, (key) => [`k${key}`, inner])
        }, core)
      })
    fc.assert(
      fc.property(schema, value, (one, given) => {
        expectSwift(JSON.stringify(one).slice(0, 300), one, given)
      }),
      { numRuns, endOnFailure: true },
    )
  }, 600_000)

  test('the budget is far above what an ordinary form needs', () => {
    const form = {
      type: 'object',
      properties: object(100, (i) => [
        `field${i}`,
        { type: 'string', minLength: 1, maxLength: 500, pattern: '^[^<>]+$' },
      ]),
      required: times(100, (i) => `field${i}`),
      additionalProperties: false,
    }
    const list = { type: 'array', items: form, uniqueItems: true }
    expect(
      expectSwift(
        'a list of forms',
        list,
        times(10, (n) => object(100, (i) => [`field${i}`, `value ${n} ${i}`])),
      ),
    ).toBe('accepted')
  })
})
