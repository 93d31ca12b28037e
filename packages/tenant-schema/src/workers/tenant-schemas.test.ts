import { describe, expect, test } from 'vitest'
import { parseExactly } from '../json/parse-exactly.ts'
import { createTenantSchemas } from './tenant-schemas.ts'

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
const patterns = (n: number, make: (i: number) => string) => ({
  allOf: times(n, (i) => ({ pattern: make(i) })),
})

/** Within the limits, but more to compile than the event loop accepts. */
const costly = patterns(12, (i) => `^[a-z]{0,450}${i}`)
/** Over the current limits, but cheap. */
const large = patterns(2, (i) => `^([a-z]{30}){33}|(b{30}){33}|(c{30}){33}${i}`)
/** A program of half a million instructions, a hundred times. */
const endless = patterns(100, (i) => `(${'abcdefgh'.repeat(55)}${i}){1000}`)

/** Counts the turns of the event loop before a promise was settled. */
async function turnsDuring<T>(promise: Promise<T>): Promise<{ turns: number; result: T }> {
  let turns = 0
  let isSettled = false
  const settled = promise.finally(() => {
    isSettled = true
  })
  while (!isSettled) {
    await new Promise(setImmediate)
    turns += 1
  }
  return { turns, result: await settled }
}

const sent = (value: unknown) => [value, JSON.stringify(value)] as const

class Busy extends Error {}

describe('schemas of tenants', () => {
  const schemas = createTenantSchemas(() => new Busy())

  test('what takes long to compile is compiled elsewhere, and says the same', async () => {
    const { turns, result } = await turnsDuring(schemas.check('a', costly))
    expect(result).toEqual([])
    expect(turns).toBeGreaterThan(20)
    const opened = await schemas.open('a', costly)
    expect(await opened.validate(...sent(''))).toHaveLength(12)
    expect(await opened.validate(...sent(5))).toEqual([])
  })

  test('over the limits: refused when it is new, by place; still in force when it was stored', async () => {
    const problems = await schemas.check('a', large)
    expect(problems.map(({ path }) => path)).toEqual(['/allOf/0/pattern', '/allOf/1/pattern'])
    const { turns, result } = await turnsDuring(schemas.open('a', large))
    expect(turns).toBeGreaterThan(20)
    expect(await result.validate(...sent('!'))).toHaveLength(2)
    expect(await result.validate(...sent('b'.repeat(990)))).toHaveLength(1)
    const text = '700000000000000001'
    const limited = await schemas.open('a', { ...large, maximum: 700000000000000000 })
    expect(await limited.validate(parseExactly(text), text)).toMatchObject([{ code: 'MAXIMUM' }])
  })

  test('a stored schema that exceeds the limits of a worker rejects payloads, and delays no other schema', async () => {
    const { turns, result } = await turnsDuring(schemas.open('a', endless))
    expect(turns).toBeGreaterThan(20)
    expect(await result.validate(...sent('a'))).toMatchObject([{ path: '', code: 'TOO_COSTLY' }])
    // A new thread checks the next schema.
    expect(await schemas.check('b', costly)).toEqual([])
  })

  test('a payload that takes long to validate is validated elsewhere, up to what one may take', async () => {
    const unique = await schemas.open('a', { uniqueItems: true })
    const opened = (n: number) =>
      turnsDuring(Promise.resolve(unique.validate(...sent(times(n, (a) => ({ a }))))))
    expect(await opened(100)).toMatchObject({ result: [] })
    const larger = await opened(9_000)
    expect(larger.result).toEqual([])
    expect(larger.turns).toBeGreaterThan(20)
    expect((await opened(30_000)).result).toMatchObject([{ code: 'TOO_COSTLY' }])
  })

  test('an owner with too many waiting jobs gets the error of the caller, and others continue', async () => {
    const own = createTenantSchemas(() => new Busy())
    const all = times(40, () => own.check('greedy', costly))
    const other = own.check('modest', costly)
    const ends = await Promise.allSettled(all)
    const refused = ends.filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThan(20)
    for (const end of refused) expect(end).toMatchObject({ reason: expect.any(Busy) })
    expect(await other).toEqual([])
  })
})
