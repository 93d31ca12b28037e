import { type ErrorDefinition, errors } from '@rolecall/contract'
import { expect, test } from 'vitest'
import { markCode } from './mark-code.ts'

const none = () => undefined

test.each([
  [
    'Send the header Authorization: Bearer <METRICS_TOKEN>.',
    'Send the header `Authorization: Bearer <METRICS_TOKEN>`.',
  ],
  ['the header X-API-Key. If it', 'the header `X-API-Key`. If it'],
  ['with Content-Type: application/json, in UTF-8', 'with `Content-Type: application/json`, in UTF-8'],
  ['with {"forwardAuth":{"hosts":[…]}}. The list', 'with `{"forwardAuth":{"hosts":[…]}}`. The list'],
  ['Set oidc.enabled and clientId, or client_id.', 'Set `oidc.enabled` and `clientId`, or `client_id`.'],
  ['its hosts in forwardAuth.hosts. Then', 'its hosts in `forwardAuth.hosts`. Then'],
  ['the Allow header. Allow it READ.', 'the `Allow` header. Allow it `READ`.'],
  ['with HMAC-SHA-256 and WebP', 'with HMAC-SHA-256 and WebP'],
  ['the fields that `errors` lists', 'the fields that `errors` lists'],
  ['all Remote-… headers', 'all Remote-… headers'],
])('%s', (text, marked) => {
  expect(markCode(text, none)).toBe(marked)
})

test('an endpoint is linked, and another path is not', () => {
  const linkOf = (request: string) => (request === 'PUT /api/things/{id}' ? 'api.md#setthing' : undefined)
  expect(markCode('Use PUT /api/things/{id}. See /api/docs.', linkOf)).toBe(
    'Use [`PUT /api/things/{id}`](api.md#setthing). See `/api/docs`.',
  )
})

test('marks no part of a name twice in any sentence of an error', () => {
  for (const { fix, when, note } of Object.values<ErrorDefinition>(errors))
    for (const text of [fix, when, note]) expect(markCode(text ?? '', none)).not.toMatch(/``|`\w+`\w|\w`\w+`/)
})
