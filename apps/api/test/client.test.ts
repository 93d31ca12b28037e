import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ErrorDefinition, errors } from '@rolecall/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mintToken } from '../src/platform/crypto/tokens.ts'
import { call } from './client.ts'

/**
 * Calls a server that returns a response of the test. `call` must reject each response that violates the contract.
 */
describe('a call of the tests', () => {
  let server: Server
  let url: string
  let planted: { status: number; headers?: Record<string, string | undefined>; body?: unknown }
  const common = {
    'x-request-id': '1',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': "default-src 'none'; base-uri 'none'",
    'cache-control': 'no-store',
  }
  const problem = (status: number, code: string, more = {}) => ({
    type: `https://x.example/#${code}`,
    ...{ title: 'A title', status, detail: `The reason. ${fixOf(code)}`, code, requestId: '1', ...more },
  })

  const fixOf = (code: string) => (errors as Record<string, ErrorDefinition>)[code]?.fix ?? 'Do this.'

  beforeAll(async () => {
    server = createServer((_, response) => {
      const { status, headers, body } = planted
      for (const [name, value] of Object.entries({ ...common, ...headers })) {
        if (value !== undefined) response.setHeader(name, value)
      }
      if (body !== undefined) response.setHeader('content-type', 'application/problem+json')
      response.writeHead(status).end(body === undefined ? '' : JSON.stringify(body))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => void server.close())
  beforeEach(() => {
    planted = { status: 500 }
  })

  const bearer = { 'www-authenticate': 'Bearer' }
  test.each<[string, typeof planted, RegExp]>([
    ['a status that is not declared', { status: 418, body: problem(418, 'TEAPOT') }, /./],
    [
      'a code that is not declared',
      { status: 404, body: problem(404, 'PROJECT_NOT_FOUND') },
      /PROJECT_NOT_FOUND, .* does not declare: add it to refuses of \/api\/auth\/sessions in packages\/contract\/src$/,
    ],
    ['a body that is no problem', { status: 404, body: { error: 'gone' } }, /no problem/],
    ['a refusal without a body', { status: 404 }, /without a problem body/],
    ['no request id', { status: 404, headers: { 'x-request-id': undefined } }, /X-Request-Id/],
    ['a 401 without a challenge', { status: 401, body: problem(401, 'INVALID_TOKEN') }, /challenge/],
    ['a 429 without Retry-After', { status: 429, body: problem(429, 'RATE_LIMITED') }, /Retry-After/],
    ['a success of another shape', { status: 200, body: { sessions: 'none' } }, /./],
    [
      'a credential in a refusal',
      { status: 401, headers: bearer, body: problem(401, 'INVALID_TOKEN', { title: mintToken('session') }) },
      /credential/,
    ],
    [
      'a credential in an address',
      { status: 302, headers: { location: `/x?token=${mintToken('apiKey')}` } },
      /./,
    ],
  ])('fails on %s', async (_, answer, message) => {
    planted = answer
    await expect(call(url, 'GET', '/api/auth/sessions')).rejects.toThrow(message)
  })

  test('accepts an answer that the contract declares', async () => {
    planted = { status: 200, body: { sessions: [] } }
    expect((await call(url, 'GET', '/api/auth/sessions')).body).toEqual({ sessions: [] })
  })
})
