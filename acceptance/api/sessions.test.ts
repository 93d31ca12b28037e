import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  ask,
  describeWithMembers,
  exchange,
  givenCode,
  givenProject,
  givenSession,
  logInAsAdmin,
  type Project,
  type Session,
  toggleRole,
  validate,
} from './service.ts'

const role = {
  roleId: expect.any(String),
  roleName: expect.any(String),
  rolePosition: expect.any(Number),
}

describeWithMembers('a session', () => {
  let project: Project
  let other: Project
  beforeAll(async () => {
    const admin = await logInAsAdmin()
    project = await givenProject(admin)
    other = await givenProject(admin)
  })
  const isGood = async (token: string, at = project) => (await validate(at, token)).status === 200
  const listOf = ({ token }: Session) => ask('GET', '/api/auth/sessions', { token })
  /** Returns the ID of a session, which its own project knows. */
  const idOf = async (session: Session) => (await validate(project, session.token)).body.session.id

  describe('POST /api/auth/token', () => {
    test('200: token, refresh token, expiry, the member and their roles', async () => {
      const { status, body } = await exchange(project, await givenCode(project))
      expect(status).toBe(200)
      expect(body).toMatchObject({
        token: expect.stringMatching(/^rcs_/),
        refreshToken: expect.stringMatching(/^rcr_/),
        member: { id: demo.users.ada, username: 'ada.osei', isClubMember: true },
      })
      expect(Date.parse(body.expiresAt)).toBeGreaterThan(Date.now())
      expect(body.roles).toContainEqual({ ...role, roleId: demo.roles.crew, roleColor: expect.any(Number) })
    })

    test('401 for a code that was used, and the session that it made is gone', async () => {
      const code = await givenCode(project)
      const first = await exchange(project, code)
      expect((await exchange(project, code)).status).toBe(401)
      expect(await isGood(first.body.token)).toBe(false)
    })

    test('401 for a code of another project, another redirectUri, or one that was made up', async () => {
      const code = await givenCode(project)
      const wrong = [
        await exchange(other, code),
        await exchange(project, code, { redirectUri: 'https://site.example/callback' }),
        await exchange(project, code, { clientId: other.id }),
        await exchange(project, `rcc_${'x'.repeat(49)}`),
      ]
      expect(wrong.map(({ status, body }) => [status, body.code])).toEqual(
        wrong.map(() => [401, 'INVALID_CODE']),
      )
    })

    test('400 for a body that is not whole, naming each field', async () => {
      const { status, body } = await ask('POST', '/api/auth/token', { key: project.key, body: { code: '' } })
      expect(status).toBe(400)
      expect(JSON.stringify(body.errors)).toMatch(/clientId.*redirectUri|redirectUri.*clientId/)
    })
  })

  describe('POST /api/auth/validate', () => {
    test('200: the member, with every field of both documented shapes, and their roles', async () => {
      const { status, body } = await validate(project, (await givenSession(project)).token)
      expect(status).toBe(200)
      expect(Object.keys(body.member)).toEqual(
        expect.arrayContaining([
          ...['id', 'username', 'isClubMember', 'avatar', 'displayName', 'email', 'globalName', 'joinedAt'],
          ...['preferredName', 'createdAt', 'updatedAt', 'syncedAt'],
        ]),
      )
      expect(body.roles[0]).toMatchObject(role)
    })

    test('reads roles live: one that is given or taken on the platform shows in a running session', async () => {
      const { token } = await givenSession(project, demo.users.yusra)
      const has = async () =>
        (await validate(project, token)).body.roles.some(
          ({ roleId }: { roleId: string }) => roleId === demo.roles.captain,
        )
      const before = await has()
      await toggleRole(demo.users.yusra, demo.roles.captain)
      await expect.poll(has, { timeout: 20_000 }).toBe(!before)
      await toggleRole(demo.users.yusra, demo.roles.captain)
      await expect.poll(has, { timeout: 20_000 }).toBe(before)
    })

    test('401 for a token of another project, which counts as invalid, and for one that was made up', async () => {
      const { token } = await givenSession(project)
      for (const answer of [await validate(other, token), await validate(project, `rcs_${'x'.repeat(49)}`)]) {
        expect([answer.status, answer.body.code]).toEqual([401, 'INVALID_TOKEN'])
      }
    })

    test('400 for an empty token', async () => {
      expect((await validate(project, '')).status).toBe(400)
    })
  })

  describe('POST /api/auth/logout', () => {
    test('200: the session is gone for the next request', async () => {
      const { token } = await givenSession(project)
      const { status, body } = await ask('POST', '/api/auth/logout', { key: project.key, body: { token } })
      expect([status, body]).toEqual([200, { success: true }])
      expect(await isGood(token)).toBe(false)
    })

    test('tokens of other projects are ignored', async () => {
      const { token } = await givenSession(project)
      expect((await ask('POST', '/api/auth/logout', { key: other.key, body: { token } })).status).toBe(200)
      expect(await isGood(token)).toBe(true)
    })

    test('400 for an empty token', async () => {
      expect((await ask('POST', '/api/auth/logout', { key: project.key, body: { token: '' } })).status).toBe(
        400,
      )
    })
  })

  describe('POST /api/auth/logout-all', () => {
    test('200: all sessions of the member in the calling project are gone, those elsewhere go on', async () => {
      const as = demo.users.kenji
      const own = [await givenSession(project, as), await givenSession(project, as)]
      const elsewhere = await givenSession(other, as)
      const body = { memberId: as }
      const answer = await ask('POST', '/api/auth/logout-all', { key: project.key, body })
      expect([answer.status, answer.body]).toEqual([200, { success: true }])
      for (const { token } of own) expect(await isGood(token)).toBe(false)
      expect(await isGood(elsewhere.token, other)).toBe(true)
    })

    test('400 for an empty memberId', async () => {
      const sent = { key: project.key, body: { memberId: '' } }
      expect((await ask('POST', '/api/auth/logout-all', sent)).status).toBe(400)
    })
  })

  describe('GET /api/auth/sessions', () => {
    test('200: the live sessions of the member, with the browser of each and without token material', async () => {
      const as = demo.users.yusra
      const session = await givenSession(project, as)
      const gone = await givenSession(project, as)
      const [id, goneId] = [await idOf(session), await idOf(gone)]
      await ask('POST', '/api/auth/logout', { key: project.key, body: { token: gone.token } })
      const { status, body, text } = await listOf(session)
      expect(status).toBe(200)
      expect(body.sessions).toContainEqual(
        expect.objectContaining({
          id,
          projectId: project.id,
          serverId: demo.mainGuildId,
          createdAt: expect.any(String),
          expiresAt: session.expiresAt,
          clientInfo: { ipAddress: expect.any(String), userAgent: expect.any(String) },
        }),
      )
      expect(body.sessions.map((one: { id: string }) => one.id)).not.toContain(goneId)
      expect(text).not.toMatch(/rc[skrc]_/)
    })
  })

  describe('DELETE /api/auth/sessions/{sessionId}', () => {
    test('204: the next request with that token fails', async () => {
      const [one, two] = [await givenSession(project), await givenSession(project)]
      const answer = await ask('DELETE', `/api/auth/sessions/${await idOf(two)}`, { token: one.token })
      expect(answer.status).toBe(204)
      expect([await isGood(two.token), await isGood(one.token)]).toEqual([false, true])
      expect((await listOf(two)).status).toBe(401)
    })

    test('404 for none, and the same for a session of another member', async () => {
      const [own, others] = [await givenSession(project), await givenSession(project, demo.users.joon)]
      const remove = async (id: string) => ask('DELETE', `/api/auth/sessions/${id}`, { token: own.token })
      const [foreign, none] = [await remove(await idOf(others)), await remove(crypto.randomUUID())]
      for (const { status, body } of [foreign, none]) {
        expect([status, body.code]).toEqual([404, 'SESSION_NOT_FOUND'])
      }
      expect(await isGood(others.token)).toBe(true)
    })
  })

  describe('POST /api/auth/token/refresh', () => {
    const refresh = ({ token }: Session, refreshToken: string) =>
      ask('POST', '/api/auth/token/refresh', { token, body: { refreshToken } })

    test('200: a new pair and expiry; the previous pair is invalid at once', async () => {
      const session = await givenSession(project)
      const { status, body } = await refresh(session, session.refreshToken)
      expect(status).toBe(200)
      expect(Object.keys(body).sort()).toEqual(['accessToken', 'expiresAt', 'refreshToken'])
      expect(Date.parse(body.expiresAt)).toBeGreaterThanOrEqual(Date.parse(session.expiresAt))
      expect([await isGood(session.token), await isGood(body.accessToken)]).toEqual([false, true])
      expect((await refresh(session, session.refreshToken)).status).toBe(401)
    })

    test('401 where the refresh token is not the one of this session', async () => {
      const [one, two] = [await givenSession(project), await givenSession(project)]
      expect((await refresh(one, two.refreshToken)).status).toBe(401)
      expect(await isGood(one.token)).toBe(true)
    })

    test('400 for an empty refresh token', async () => {
      expect((await refresh(await givenSession(project), '')).status).toBe(400)
    })
  })

  test('of a member who lacks the admin role is refused with 403 by the administration', async () => {
    const { token } = await givenSession(project)
    for (const path of ['projects', 'audit/logs', 'members', 'profile', 'settings', 'monitoring/health']) {
      const { status, body } = await ask('GET', `/api/admin/${path}`, { token })
      expect([status, body.code], path).toEqual([403, 'NOT_SYSTEM_ADMIN'])
    }
  })
})
