import { bodyLimitOf, endpoints } from '@rolecall/contract'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { readBody } from './read-body.ts'
import { readQuery } from './read-query.ts'
import { compile } from './validation.ts'

/**
 * The time for which a refusal of the largest accepted body may block other requests. The goal is 20 ms on an idle
 * machine; a busy one takes longer for the same. Without bounds a megabyte took 300 to 500.
 */
const maxMs = 60

/**
 * Returns the processor time in milliseconds, the minimum of many runs unless one is good enough: the machine may be
 * busy with other work.
 */
function least(run: () => void, enoughMs = 0): number {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < (enoughMs > 0 ? 20 : 5) && least >= enoughMs; tries++) {
    const before = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}

/** Bodies of the maximum size, each of which is the costliest for a validator in its own way. */
const hostile: Record<string, (bytes: number, keys: readonly string[]) => string> = {
  'unknown keys': (bytes) => {
    const keys: string[] = []
    for (let i = 0, length = 2; length < bytes - 12; i++) {
      const key = `"${i.toString(36)}":1`
      keys.push(key)
      length += key.length + 1
    }
    return `{${keys.join(',')}}`
  },
  'a long list in each key': (bytes, keys) => {
    const items = Math.max(1, Math.floor(bytes / keys.length / 2) - 12)
    return `{${keys.map((key) => `"${key}":[1${',1'.repeat(items - Math.ceil(key.length / 2))}]`).join(',')}}`
  },
  'lists of objects with unknown keys': (bytes, keys) => {
    const one = `{${Array.from({ length: 90 }, (_, i) => `"${i}":1`).join(',')}}`
    const items = Math.max(1, Math.floor((bytes / keys.length - 40) / (one.length + 1)))
    return `{${keys.map((key) => `"${key}":[${Array(items).fill(one).join(',')}]`).join(',')}}`
  },
  'strings that nothing can store': (bytes, keys) => {
    const text = '"\\u0000"'
    const items = Math.max(1, Math.floor((bytes / keys.length - 40) / (text.length + 1)))
    return `{${keys.map((key) => `"${key}":{"a":[${Array(items).fill(text).join(',')}]}`).join(',')}}`
  },
  depth: (bytes, [key = 'x']) => {
    const depth = Math.floor((bytes - key.length - 6) / 2)
    return `{"${key}":${'['.repeat(depth)}${']'.repeat(depth)}}`
  },
}

describe.each(endpoints.filter(({ body }) => body))('$method $path', (one) => {
  const check = compile(one.body ?? Type.Object({}))
  const keys = Object.keys((one.body as { properties?: object } | undefined)?.properties ?? {})

  test.each(Object.keys(hostile))(`a body of %s is judged without holding up others`, (kind) => {
    const text = hostile[kind]?.(bodyLimitOf(one), keys) ?? ''
    expect(text.length).toBeLessThanOrEqual(bodyLimitOf(one))
    const bytes = Buffer.from(text)
    let problems = 0
    const took = least(() => {
      problems = check(readBody('application/json', undefined, bytes)).length
    }, maxMs)
    expect(problems).toBeGreaterThan(0)
    expect(took).toBeLessThan(maxMs)
  })
})

test('a query is read in linear time: one name again and again, and many names', () => {
  const schema = Type.Object({ a: Type.Optional(Type.Array(Type.String())) }, { additionalProperties: false })
  const check = compile(schema)
  const searches: ((count: number) => string)[] = [
    (count) => 'a=1&'.repeat(count),
    (count) => 'b=1&'.repeat(count),
    (count) => '%ff=1&'.repeat(count),
    (count) => Array.from({ length: count }, (_, i) => `k${i}=1`).join('&'),
  ]
  for (const searchOf of searches) {
    const [few, many] = [searchOf(5_000), searchOf(50_000)]
    const read = (search: string) => check(readQuery(search, schema).value)
    expect(read(many).length).toBeLessThanOrEqual(100)
    // Ten times the size: ten times as long, while quadratic cost would be a hundred.
    expect(
      least(() => read(many)) /
        Math.max(
          1,
          least(() => read(few)),
        ),
    ).toBeLessThan(50)
  }
})
