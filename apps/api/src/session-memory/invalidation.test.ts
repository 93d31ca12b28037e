import { expect, test } from 'vitest'
import { acknowledgement, parseNotification } from './invalidation.ts'

const carrying = (read: unknown) => `look me 7:9: ${JSON.stringify(read)}`
const holders = ['a', 'b']

test('an invalidation carries changes with facts of any characters', () => {
  const changes = [
    ['session', 'a digest'],
    ['access', 'project/server'],
  ]
  expect(parseNotification(carrying({ holders, changes }))).toEqual({
    kind: 'invalidation',
    from: 'me',
    isQuick: false,
    carried: {
      snapshot: '7:9:',
      holders,
      changes: [
        { kind: 'session', tokenDigest: 'a digest' },
        { kind: 'access', id: 'project/server' },
      ],
    },
  })
})

test.each([
  ['is from a version before', 'look me'],
  ['cannot be read', 'look me 7:9: {"holders":['],
  ['names no holders', carrying({ changes: [] })],
  ['has changes of another form', carrying({ holders, changes: [{ kind: 'session' }] })],
  ['has roles, which must be read', carrying({ holders, changes: [['roles', 'a server']] })],
])('an invalidation that %s asks for a read of the change log', (_why, payload) => {
  expect(parseNotification(payload)).toEqual({
    kind: 'invalidation',
    from: 'me',
    isQuick: false,
    carried: undefined,
  })
})

test('a change of a kind that is not known may mean anything', () => {
  const notified = parseNotification(carrying({ holders, changes: [['planet', 'x']] }))
  expect(notified).toMatchObject({ carried: { changes: [{ kind: 'unknown' }] } })
})

test('an invalidation says how to acknowledge it, also one that carries nothing', () => {
  const isQuick = true
  expect(parseNotification(carrying({ isQuick, holders, changes: [] }))).toMatchObject({ isQuick })
  expect(parseNotification('look me - {"isQuick":true}')).toMatchObject({ isQuick, carried: undefined })
})

test('an acknowledgement names a lease and a snapshot, and one without a snapshot is none', () => {
  expect(parseNotification(acknowledgement('me', '7:9:7,8'))).toEqual({
    kind: 'acknowledged',
    from: 'me',
    snapshot: '7:9:7,8',
  })
  for (const snapshot of ['', '7', '7:9', '7:9:x', '7:9:7,'])
    expect(parseNotification(acknowledgement('me', snapshot))).toBeUndefined()
})
