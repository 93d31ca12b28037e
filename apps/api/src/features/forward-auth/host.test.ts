import { describe, expect, test } from 'vitest'
import { roleNamesOnly } from '#responses/groups'
import { remoteHeaders } from '#responses/remote-headers'
import { readReturnPath } from './forwarded-request.ts'
import { readHost } from './host.ts'

describe('a host', () => {
  test.each([
    ['WIKI.test:443', 'https', 'wiki.test'],
    ['wiki.test:8443', 'https', 'wiki.test:8443'],
    ['wiki.localhost:80', 'http', 'wiki.localhost'],
    ['127.0.0.1:3001', 'http', '127.0.0.1:3001'],
    ['[::1]:3001', 'http', '[::1]:3001'],
  ] as const)('%s over %s is %s', (text, scheme, host) => {
    expect(readHost(text, scheme)?.host).toBe(host)
  })
  test.each([
    ...['', 'wiki.test.', 'wiki.test:07320', 'wiki.test:0', 'wiki.test:70000', 'a,b', 'a, b', 'u@wiki.test'],
    ...[
      'wiki..test',
      '-a.test',
      'wiki_test',
      'wiki.test:',
      'wiki.test/x',
      'wiki.test\\x',
      'ẃiki.test',
      'a b',
    ],
  ])('%j is none: two programs could read it in two ways', (text) => {
    expect(readHost(text, 'https')).toBeUndefined()
  })
})

describe('the path to come back to', () => {
  test.each([
    ['/a?b=https://evil', '/a?b=https://evil'],
    ['//evil.test', '//evil.test'],
    ['/ü', '/%C3%BC'],
    [undefined, '/'],
    ['https://evil.test', '/'],
    ['/\\evil.test', '/'],
    ['/\t/evil.test', '/'],
    ['/_rolecall/logout', '/'],
    ['/_rolecall', '/'],
    [`/${'x'.repeat(2_000)}`, '/'],
  ])('of %j is %j', (rd, path) => {
    expect(readReturnPath(rd)).toBe(path)
  })
})

describe('the headers for an application', () => {
  const role = (roleId: string, roleName: string) => ({ roleId, roleName, roleColor: null, rolePosition: 1 })
  const mara = { user: 'mara', memberId: '1', name: 'Mara', email: '', roles: [], groupRule: roleNamesOnly }

  test('are always all six', () => {
    expect(remoteHeaders(mara)).toEqual({
      ...{ 'remote-user': 'mara', 'remote-member-id': '1', 'remote-name': 'Mara' },
      ...{ 'remote-email': '', 'remote-groups': '', 'remote-role-ids': '' },
    })
  })
  test('part roles by commas that no name has, and are ASCII', () => {
    const roles = [role('1', 'x,admin'), role('2', '%61dmin'), role('3', ' Käpt’n\u{1f600}\n')]
    expect(remoteHeaders({ ...mara, roles })['remote-groups']).toBe(
      'x%2Cadmin,%2561dmin,%20K%C3%A4pt%E2%80%99n%F0%9F%98%80%0A',
    )
  })
  test('leave out the lowest roles whole where they would be too long', () => {
    const roles = Array.from({ length: 250 }, (_, i) =>
      role(String(10n ** 18n + BigInt(i)), String(i) + '\u{1f600}'.repeat(20)),
    )
    const headers = remoteHeaders({ ...mara, roles })
    expect(Object.entries(headers).flat().join(': ').length).toBeLessThan(4_000)
    const groups = headers['remote-groups']?.split(',') ?? []
    expect(groups.length).toBe(headers['remote-role-ids']?.split(',').length)
    expect(decodeURIComponent(groups.at(-1) ?? '')).toMatch(/^\d+(\u{1f600}){20}$/u)
  })
})
