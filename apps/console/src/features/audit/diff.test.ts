import { expect, test } from 'vitest'
import { diffOf } from './diff.ts'

test.each([
  ['a text', { name: { before: 'Log', after: 'Harbour log' } }, [['Name', 'Log', 'Harbour log']]],
  [
    'a new value',
    { webhookUrl: { before: null, after: 'https://a' } },
    [['Webhook URL', 'nothing', 'https://a']],
  ],
  ['a flag', { isActive: { before: true, after: false } }, [['Is active', 'yes', 'no']]],
  [
    'a list, by its items that changed',
    { redirectUris: { before: ['https://a', 'https://b'], after: ['https://b', 'https://c'] } },
    [['Redirect URIs', 'https://a', 'https://c']],
  ],
  [
    'an object, by its fields that changed',
    { oidc: { before: { enabled: false, serverId: '1' }, after: { enabled: true, serverId: '1' } } },
    [['OpenID Connect: Enabled', 'no', 'yes']],
  ],
  [
    'an empty list',
    { scopes: { before: ['read_members'], after: [] } },
    [['Scopes', 'read_members', 'nothing']],
  ],
  ['no changes', null, []],
])('an entry shows %s before and after', (_, changes, rows) => {
  expect(diffOf(changes).map(({ label, before, after }) => [label, before, after])).toEqual(rows)
})
