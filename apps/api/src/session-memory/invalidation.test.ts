import { expect, test } from 'vitest'
import { parseNotification } from './invalidation.ts'

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
  expect(parseNotification(payload)).toEqual({ kind: 'invalidation', from: 'me', carried: undefined })
})

test('a change of a kind that is not known may mean anything', () => {
  const notified = parseNotification(carrying({ holders, changes: [['planet', 'x']] }))
  expect(notified).toMatchObject({ carried: { changes: [{ kind: 'unknown' }] } })
})
