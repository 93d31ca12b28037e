import { beforeEach, describe, expect, test } from 'vitest'
import { digestOfTokenless } from '#platform/crypto/tokens'
import { AccessTokens } from './access-tokens.ts'
import type { AccessTokenRow } from './access-tokens-store.ts'
import type { Change } from './change.ts'

const payload = {
  kind: 'AccessToken',
  iat: 10,
  exp: 610,
  accountId: 'the member',
  clientId: 'the project',
  grantId: 'the session',
  sid: 'the session',
  gty: 'authorization_code',
  scope: 'openid roles',
}
const client = { isPublic: false, serverId: 'the server', keys: [{ digest: 'the key', endsAtMs: null }] }
const row = (more: Partial<AccessTokenRow> = {}, fields: object = {}): AccessTokenRow => ({
  payload: JSON.stringify({ ...payload, ...fields }),
  sessionId: 'the session',
  isExpired: false,
  expiresAtMs: 610_000,
  grant: { projectId: 'the project', scope: 'roles profile openid', clientId: null },
  client,
  ...more,
})

describe('cached access tokens', () => {
  let tokens: AccessTokens
  beforeEach(() => {
    tokens = new AccessTokens()
    tokens.add('a', row(), 20_000)
  })
  const isKept = (digest = 'a', nowMs = 20_000) => tokens.get(digest, nowMs) !== undefined

  test('have what an answer needs, with the scope that the session was granted in its order', () => {
    expect(tokens.get('a', 20_000)).toMatchObject({
      sessionDigest: digestOfTokenless('the session'),
      ...{ memberId: 'the member', scope: 'openid roles', grantedScope: 'roles openid', hasSid: true },
      ...{ issuedAtSec: 10, expiresAtSec: 610, client: { id: 'the project', value: client } },
    })
    expect(isKept('b')).toBe(false)
  })

  test.each<[string, Partial<AccessTokenRow>, object]>([
    ['for an API', {}, { aud: 'https://notes.example/' }],
    ['with a field that is not known', {}, { rar: [] }],
    ['bound to a key of the client', {}, { jkt: 'x' }],
    ['that ends with the session of a browser', {}, { expiresWithSession: true }],
    ['of another kind', {}, { kind: 'RefreshToken' }],
    ['without a scope', {}, { scope: undefined }],
    ['without a time', {}, { exp: undefined }],
    ['of another session than its record', {}, { grantId: 'another' }],
    ['of another client than its session', {}, { clientId: 'another' }],
    ['without a session', { sessionId: null }, { grantId: null }],
    ['whose session was granted nothing', { grant: undefined }, {}],
    ['whose project is not a client', { client: undefined }, {}],
  ])('a token %s is not cached', (_, more, fields) => {
    tokens.add('b', row(more, fields), 20_000)
    expect(isKept('b')).toBe(false)
  })

  test.each<[string, Change, boolean]>([
    ['the token', { kind: 'token', digest: 'a' }, false],
    ['another token', { kind: 'token', digest: 'b' }, true],
    ['its project', { kind: 'project', projectId: 'the project' }, false],
    ['another project', { kind: 'project', projectId: 'another' }, true],
    ['a key of its client', { kind: 'key', keyDigest: 'the key' }, false],
    ['another key', { kind: 'key', keyDigest: 'another' }, true],
    ['any server', { kind: 'server', serverId: 'another' }, false],
  ])('a change of %s', (_, change, remains) => {
    tokens.applyChange(change)
    expect(isKept()).toBe(remains)
  })

  test('expire by their record and by their own time, whichever is first', () => {
    tokens.add('b', row({ expiresAtMs: 900_000 }), 20_000)
    tokens.add('c', row({ expiresAtMs: 50_000 }), 20_000)
    expect([isKept('b', 609_999), isKept('b', 610_000)]).toEqual([true, false])
    expect([isKept('c', 49_999), isKept('c', 50_000)]).toEqual([true, false])
  })

  test('a later read brings a key that was added since, to all tokens of the client', () => {
    const keys = [...client.keys, { digest: 'the new key', endsAtMs: null }]
    tokens.add('b', row({ client: { ...client, keys } }), 20_000)
    expect(tokens.get('a', 20_000)?.client.value.keys).toEqual(keys)
    tokens.applyChange({ kind: 'key', keyDigest: 'the new key' })
    expect([isKept('a'), isKept('b')]).toEqual([false, false])
  })

  test('expired ones make room when another is read, and clearing drops all', () => {
    tokens.add('b', row({}, { iat: 700, exp: 1300 }), 700_000)
    expect(tokens.size).toBe(1)
    tokens.clear()
    expect(tokens.size).toBe(0)
  })
})
