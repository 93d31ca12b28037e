import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ask, authorizePath, Browser } from './service.ts'

// These tests need only an address: they sign no member in and change nothing.

const id = randomUUID()
const project = `/api/admin/projects/${id}`
const server = '1100089314336833537'

/** All endpoints for System Admins, as the specification lists them. */
const administration: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/api/admin/projects'],
  ['POST', '/api/admin/projects'],
  ['GET', project],
  ['PATCH', project],
  ['DELETE', project],
  ['GET', `${project}/api-key`],
  ['DELETE', `${project}/key`],
  ['POST', `${project}/restore-key`],
  ['POST', `${project}/regenerate-api-key`],
  ['PATCH', `${project}/redirect-uri`],
  ['GET', `${project}/servers`],
  ['GET', `/api/admin/projects/servers/${server}/projects`],
  ['PUT', `${project}/servers/${server}`],
  ['DELETE', `${project}/servers/${server}`],
  ['GET', '/api/admin/projects/access/matrix'],
  ['GET', '/api/admin/projects/access/audit'],
  ['GET', '/api/admin/audit/logs'],
  ['GET', '/api/admin/audit/logs/export'],
  ['GET', '/api/admin/members'],
  ['GET', '/api/admin/members/cross-server'],
  ['GET', '/api/admin/members/export'],
  ['GET', `/api/admin/members/${server}/servers`],
  ['GET', `/api/admin/members/${server}/sessions`],
  ['DELETE', `/api/admin/members/${server}/sessions/${id}`],
  ['DELETE', `/api/admin/members/${server}/sessions`],
  ['GET', `/api/admin/members/${server}/data`],
  ['DELETE', `/api/admin/members/${server}`],
  ['PUT', `/api/admin/members/${server}/block`],
  ['DELETE', `/api/admin/members/${server}/block`],
  ['GET', '/api/admin/profile'],
  ['PATCH', '/api/admin/profile'],
  ['GET', '/api/admin/settings'],
  ['PATCH', '/api/admin/settings'],
  ['POST', '/api/admin/settings/reset'],
  ['GET', '/api/admin/monitoring/health'],
]

describe('a request without a credential', () => {
  test.each(administration)(
    '%s %s answers 401 without a session, despite other mistakes',
    async (method, path) => {
      for (const headers of [{}, { authorization: 'Bearer rcs_nonsense' }, { authorization: 'Basic eDp5' }]) {
        const answer = await ask(method, path, { headers })
        expect(answer.status).toBe(401)
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
      }
    },
  )

  test.each([
    ['GET', '/api/auth/sessions'],
    ['DELETE', `/api/auth/sessions/${id}`],
    ['POST', '/api/auth/token/refresh'],
  ])('%s %s answers 401 without a session', async (method, path) => {
    expect((await ask(method, path)).status).toBe(401)
    expect((await ask(method, path, { token: 'rcs_nonsense' })).status).toBe(401)
  })

  test.each([
    '/api/auth/token',
    '/api/auth/validate',
    '/api/auth/logout',
    '/api/auth/logout-all',
    `/api/inbound-webhooks/${id}/submit`,
  ])('POST %s answers 401 without an API key, before it looks at the body', async (path) => {
    expect((await ask('POST', path, { raw: '{' })).body.code).toBe('INVALID_API_KEY')
    const answer = await ask('POST', path, { key: 'rck_nonsense', body: {} })
    expect([answer.status, answer.body.code]).toEqual([401, 'INVALID_API_KEY'])
  })
})

describe('GET /api/auth/authorize', () => {
  test('400 for each parameter that is missing or malformed, naming it, and no redirect', async () => {
    const whole = new URLSearchParams(authorizePath(id).split('?')[1])
    for (const name of ['client_id', 'redirect_uri', 'server_id', 'state']) {
      const without = new URLSearchParams(whole)
      without.delete(name)
      const { status, body, headers } = await ask('GET', `/api/auth/authorize?${without}`)
      expect([status, headers.get('location')], name).toEqual([400, null])
      expect(JSON.stringify(body.errors)).toContain(name)
    }
    expect((await ask('GET', authorizePath('not-a-uuid'))).status).toBe(400)
    expect((await ask('GET', authorizePath(id, { server_id: 'x' }))).status).toBe(400)
  })

  test('400 for a client_id that no project has', async () => {
    const { status, body, headers } = await ask('GET', authorizePath(id))
    expect([status, body.code, headers.get('location')]).toEqual([400, 'UNKNOWN_PROJECT', null])
  })
})

test('GET /api/auth/chat: 400 in a browser that has begun no login', async () => {
  expect((await new Browser().open('/api/auth/chat')).status).toBe(400)
})

describe('GET /api/health', () => {
  test('tells what is up, in the status that says the same', async () => {
    const { status, body } = await ask('GET', '/api/health')
    expect(body).toMatchObject({
      status: expect.stringMatching(/^(ok|degraded)$/),
      uptime: expect.any(Number),
      database: expect.stringMatching(/^(up|down)$/),
      cache: expect.stringMatching(/^(up|down)$/),
    })
    expect(status).toBe(body.status === 'ok' ? 200 : 503)
    if (body.database === 'down' || body.cache === 'down') expect(body.status).toBe('degraded')
  })

  test('for orchestrators: live says that the process answers, ready that it may be sent requests', async () => {
    expect((await ask('GET', '/api/health/live')).body).toEqual({ status: 'ok' })
    expect([200, 503]).toContain((await ask('GET', '/api/health/ready')).status)
  })
})

describe('refusals', () => {
  test('have one shape for every request, and every path of the service begins with /api', async () => {
    // `ask` checks this shape for each of them.
    for (const path of ['/api/nothing', '/auth/authorize', '/api/admin/nothing', '/api//health']) {
      expect((await ask('GET', path)).status, path).toBe(404)
    }
  })

  test('of bodies that are no JSON, too long or of another kind are never a 5xx', async () => {
    const send = (raw: string, type = 'application/json') =>
      ask('POST', '/api/auth/admin/token', { raw, headers: { 'content-type': type } })
    expect((await send('{')).status).toBe(400)
    expect((await send('{"code":"\\u0000"}')).status).toBeLessThan(500)
    expect((await send('x=1', 'application/x-www-form-urlencoded')).status).toBeLessThan(500)
    expect((await send(JSON.stringify({ code: 'x'.repeat(3_000_000) }))).status).toBe(413)
  })
})
