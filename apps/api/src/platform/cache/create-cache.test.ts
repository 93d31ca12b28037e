import { expect, test } from 'vitest'
import { createCache } from './create-cache.ts'

const log = { info() {}, warn() {} }

test.each([
  ['memory:', 'memory'],
  ['redis://127.0.0.1:1', 'redis'],
  ['rediss://user:secret@127.0.0.1:1/2', 'redis'],
])('%s is a %s cache', async (url, kind) => {
  const cache = createCache(url, { log })
  expect(cache.kind).toBe(kind)
  await cache.close()
})

test.each([
  '',
  'redis',
  'memory',
  'redis://',
  'http://user:secret@cache',
  'redis://user:secret@host:port',
  'redis://:secret%@host',
])('refuses %j without repeating it', (url) => {
  expect(() => createCache(url, { log })).toThrow(
    new Error('the cache URL must be memory:, redis://host:port or rediss://host:port'),
  )
})
