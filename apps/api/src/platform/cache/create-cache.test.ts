import { expect, test } from 'vitest'
import { cacheUrlForms } from './cache-url.ts'
import { createCache } from './create-cache.ts'

const log = { info() {}, warn() {} }

test.each([
  ['memory:', 'memory'],
  ['redis://127.0.0.1:1', 'redis'],
  ['rediss://user:secret@127.0.0.1:1/2', 'redis'],
  ['redis+sentinel://127.0.0.1:1,[::1]:2/main/3', 'redis'],
  ['redis+cluster://:s%25cret@127.0.0.1:1,node-2', 'redis'],
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
  'redis://:secret%ff@host',
  'redis+sentinel://host:1',
  'redis+sentinel://:secret@host:1,/main',
  'redis+sentinel://host:70000/main',
  'redis+sentinel://host/main/secret',
  'redis+cluster://host/main',
  'redis+cluster://:secret%@host',
  'redis+cluster://',
])('refuses %j without repeating it', (url) => {
  expect(() => createCache(url, { log })).toThrow(new Error(`the cache URL must be ${cacheUrlForms}`))
})
