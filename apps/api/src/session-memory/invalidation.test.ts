import { expect, test } from 'vitest'
import { formatAcknowledgement, parseNotification } from './invalidation.ts'

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

test('an acknowledgement names a lease and a snapshot that PostgreSQL accepts', () => {
  const from = '01900000-0000-7000-8000-00000000000a'
  for (const snapshot of ['7:9:7,8', '7:7:', '1:9:'])
    expect(parseNotification(formatAcknowledgement(from, snapshot))).toEqual({
      kind: 'acknowledged',
      from,
      snapshot,
    })
  // One of these in the statement that reads the change log would fail it each time.
  const refused = [
    '',
    '7',
    '7:9',
    '7:9:x',
    '7:9:7,',
    '9:7:',
    '7:9:9',
    '7:9:6',
    '7:9:8,7',
    '0:9:',
    '1:99999999999999999999:',
  ]
  for (const snapshot of refused)
    expect(parseNotification(formatAcknowledgement(from, snapshot))).toBeUndefined()
  for (const lease of ['me', '', `${from}0`])
    expect(parseNotification(formatAcknowledgement(lease, '7:9:7,8'))).toBeUndefined()
})
