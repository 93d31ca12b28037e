import type { AuthFailure } from '@rolecall/sdk/admin'
import { expect, test } from 'vitest'
import { groupFailures } from './group-failures.ts'

const failure = (at: string, more: Partial<AuthFailure>): AuthFailure => ({
  ...{ id: at, at, kind: 'api_key', reason: 'unknown', address: null, path: '/api/auth/validate' },
  ...{ projectId: null, keyPrefix: null, memberId: null, memberName: null, requestId: null },
  ...more,
})

test('failures are put together, the most frequent first, with every reason and the last time', () => {
  const groups = groupFailures(
    [
      failure('2026-03-01T03:00:00.000Z', { address: '192.0.2.1' }),
      failure('2026-03-01T02:00:00.000Z', { address: '192.0.2.2', kind: 'code', reason: 'expired' }),
      failure('2026-03-01T01:00:00.000Z', { address: '192.0.2.2', memberId: '7', memberName: 'Emil' }),
      failure('2026-03-01T00:00:00.000Z', {}),
    ],
    'address',
  )
  expect(groups.map(({ key, count }) => [key, count])).toEqual([
    ['192.0.2.2', 2],
    ['192.0.2.1', 1],
    ['unknown', 1],
  ])
  expect(groups[0]).toMatchObject({
    kinds: ['code', 'api_key'],
    reasons: ['expired', 'unknown'],
    people: [{ id: '7', name: 'Emil' }],
    lastAt: '2026-03-01T02:00:00.000Z',
  })
})
