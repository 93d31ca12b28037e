import { afterEach, expect, test, vi } from 'vitest'
import { createRefreshing } from './refreshing.ts'
import type { SessionStorage, StoredSession } from './session-storage.ts'

afterEach(() => void vi.useRealTimers())

const pair: StoredSession = { token: 'old', refreshToken: 'old', obtainedAtMs: 0, expiresAtMs: 1 }
const storage: SessionStorage = {
  isShared: false,
  read: async () => undefined,
  write: async ({ token }) => `cookie of ${token}`,
  remove: async () => {},
}

test('a replaced pair leads to its successor for two minutes, also if no other pair is refreshed later', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const client = {
    validate: async () => ({}) as never,
    refresh: async () => ({ token: 'new', refreshToken: 'new', expiresAt: '2030-01-01T00:00:00Z' }),
  }
  const refreshing = createRefreshing(client, storage, new Map())
  await refreshing.refresh(pair, 'cookie')
  const successor = { kind: 'rotated', stored: { token: 'new' }, cookie: 'cookie of new' }

  vi.setSystemTime(Date.now() + 119_000)
  expect(await refreshing.resultFor(pair)).toMatchObject(successor)
  expect(await refreshing.replacementOf(pair, 'cookie')).toMatchObject(successor)
  vi.setSystemTime(Date.now() + 1_000)
  expect(refreshing.resultFor(pair)).toBeUndefined()
  expect(await refreshing.replacementOf(pair, 'cookie')).toBeUndefined()
})
