import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, describeWithMembers, logInAsAdmin, type Sent } from './service.ts'

describeWithMembers('what an admin sets', () => {
  let token: string
  beforeAll(async () => {
    token = await logInAsAdmin()
  })
  const admin = (method: string, path: string, body?: unknown) => {
    const sent: Sent = body === undefined ? { token } : { token, body }
    return ask(method, `/api/admin${path}`, sent)
  }

  describe('the own profile', () => {
    afterAll(() => admin('PATCH', '/profile', { preferredName: null }))

    test('GET: 200 with every field', async () => {
      const { status, body } = await admin('GET', '/profile')
      expect([status, body.id, body.isSystemAdmin]).toEqual([200, demo.users.mara, true])
      expect(Object.keys(body)).toEqual(
        expect.arrayContaining(['username', 'avatar', 'displayName', 'email', 'globalName', 'preferredName']),
      )
    })

    test('PATCH: 200, a name of 1 to 255 characters; null clears it, leaving it out changes nothing', async () => {
      const set = async (body: object) => (await admin('PATCH', '/profile', body)).body.preferredName
      expect(await set({ preferredName: 'Skipper' })).toBe('Skipper')
      expect(await set({})).toBe('Skipper')
      expect(await set({ preferredName: 'é'.repeat(255) })).toBe('é'.repeat(255))
      expect(await set({ preferredName: null })).toBeNull()
      expect((await admin('GET', '/profile')).body.preferredName).toBeNull()
    })

    test('PATCH: 400 for a name that is empty or too long, and for every other field', async () => {
      for (const body of [{ preferredName: '' }, { preferredName: 'x'.repeat(256) }, { username: 'x' }]) {
        expect((await admin('PATCH', '/profile', body)).status).toBe(400)
      }
    })
  })

  describe('the settings', () => {
    afterAll(() => admin('POST', '/settings/reset'))

    test('GET: 200 with every group; secrets only say whether they are set', async () => {
      const { status, body } = await admin('GET', '/settings')
      expect(status).toBe(200)
      const keys = Object.fromEntries(
        Object.entries(body).map(([group, rows]) => [group, Object.keys(rows as object)]),
      )
      const including = (...names: string[]) => expect.arrayContaining(names)
      expect(keys).toMatchObject({
        cache: including('permissionTtlMs', 'projectAccessTtlMs', 'projectAuthTtlMs', 'statsTtlMs'),
        chat: including('callbackUrl', 'clientId', 'clientSecret', 'guildId', 'token'),
        meta: including('updatedAt', 'updatedBy'),
        preferences: including('memberActivityThresholdDays'),
        rateLimit: including('globalLimit', 'globalTtlMs', 'maxWebhooksPerProject'),
        retention: including(
          'auditDays',
          'authFailuresDays',
          'sessionAddressesDays',
          'submissionsDays',
          'usageDays',
        ),
        security: including('sessionTtlSec', 'ssoTtlSec', 'webhookEncryptionKey'),
      })
      for (const secret of [body.chat.token, body.chat.clientSecret, body.security.webhookEncryptionKey]) {
        expect(secret).toEqual({ editable: false, isSet: true })
      }
      expect(body.cache.statsTtlMs).toMatchObject({ editable: true })
      expect(body.security.sessionTtlSec).toMatchObject({ editable: false })
    })

    test('PATCH: 200, in force without a restart; reset clears every override and nothing else', async () => {
      const before = (await admin('POST', '/settings/reset')).body
      const changed = await admin('PATCH', '/settings', {
        cache: { permissionTtlMs: 61_000, statsTtlMs: 1_000 },
        preferences: { memberActivityThresholdDays: 7 },
        rateLimit: { maxWebhooksPerProject: 3 },
      })
      expect(changed.status).toBe(200)
      const { body } = await admin('GET', '/settings')
      expect([body.cache.permissionTtlMs.value, body.cache.statsTtlMs.value]).toEqual([61_000, 1_000])
      expect(body.preferences.memberActivityThresholdDays.value).toBe(7)
      expect(body.rateLimit.maxWebhooksPerProject.value).toBe(3)
      expect(body.meta).toMatchObject({ updatedBy: demo.users.mara, updatedAt: expect.any(String) })
      const reset = await admin('POST', '/settings/reset')
      expect(reset.status).toBe(200)
      expect({ ...reset.body, meta: undefined }).toEqual({ ...before, meta: undefined })
    })

    test('PATCH: 400 for what is not editable, unknown or out of its bounds, and nothing is changed', async () => {
      const before = (await admin('GET', '/settings')).body
      for (const body of [
        { security: { sessionTtlSec: 60 } },
        { chat: { token: 'x' } },
        { cache: { projectAuthTtlMs: 1 } },
        { rateLimit: { globalLimit: 1 } },
        { cache: { permissionTtlMs: -1 } },
        { preferences: { memberActivityThresholdDays: '7' } },
        { cache: { statsTtlMs: 1 }, x: 1 },
      ]) {
        expect((await admin('PATCH', '/settings', body)).status, JSON.stringify(body)).toBe(400)
      }
      expect((await admin('GET', '/settings')).body).toEqual(before)
    })
  })

  test('GET /api/admin/monitoring/health: 200 with API, chat platform, database and cache', async () => {
    const { status, body } = await admin('GET', '/monitoring/health')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: expect.any(String),
      api: { version: expect.any(String), uptime: expect.any(Number) },
      chatPlatform: { status: expect.any(String) },
      database: { status: 'up' },
      cache: { status: expect.any(String) },
    })
  })

  test('rejected keys and sessions are recorded with time, address, reason and path', async () => {
    const path = '/api/auth/validate'
    const began = new Date(Date.now() - 1_000).toISOString()
    await ask('POST', path, { key: 'rck_nonsense', body: { token: 'x' } })
    const seen = async () => (await admin('GET', `/monitoring/auth-failures?dateFrom=${began}`)).body.data
    await expect.poll(seen, { timeout: 20_000 }).toContainEqual(
      expect.objectContaining({
        at: expect.any(String),
        kind: 'api_key',
        reason: expect.any(String),
        address: expect.any(String),
        path,
      }),
    )
  })
})
