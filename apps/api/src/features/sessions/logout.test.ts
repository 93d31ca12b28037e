import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import {
  exchange,
  type GivenProject,
  givenAdmin,
  givenCode,
  givenSession,
  validate,
  walkSession,
} from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { mintToken } from '../../platform/crypto/tokens.ts'

describe.each(mainEngines)('ending sessions on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  const project = projectForTests(world)
  const other = projectForTests(world)

  const post = (path: string, { key }: { key?: string }, body: unknown) =>
    call(world.url, 'POST', path, { ...(key !== undefined && { key }), body })
  const logout = (of: GivenProject, token: string) => post('/api/auth/logout', of, { token })
  const logoutAll = (of: GivenProject, memberId: string) => post('/api/auth/logout-all', of, { memberId })
  const isGood = async (of: GivenProject, token: string) => (await validate(world, of, token)).status === 200
  const list = (token: string) => call(world.url, 'GET', '/api/auth/sessions', { token })
  const revoke = (token: string, id: string) =>
    call(world.url, 'DELETE', `/api/auth/sessions/${id}`, { token })

  describe('POST /api/auth/logout', () => {
    test('ends the one session, by its token or by its refresh token', async () => {
      const [first, second, kept] = [
        await givenSession(world, project),
        await givenSession(world, project),
        await givenSession(world, project),
      ]
      expect((await logout(project, first.token)).body).toEqual({ success: true })
      expect((await logout(project, second.refreshToken)).body).toEqual({ success: true })
      expect(await isGood(project, first.token)).toBe(false)
      expect(await isGood(project, second.token)).toBe(false)
      expect(await isGood(project, kept.token)).toBe(true)
    })

    test('either token that a refresh has just replaced still ends its session', async () => {
      for (const one of ['token', 'refreshToken'] as const) {
        const old = await givenSession(world, project)
        const next = await call(world.url, 'POST', '/api/auth/token/refresh', {
          token: old.token,
          body: { refreshToken: old.refreshToken },
        })
        await logout(project, old[one])
        expect(await isGood(project, next.body.accessToken)).toBe(false)
      }
    })

    test('tokens of other projects, of admins, unknown and made up ones are ignored, and answered the same', async () => {
      const { token } = await givenSession(world, project)
      const admin = await givenAdmin(world)
      for (const one of [token, admin, mintToken('session'), 'x', 'x'.repeat(256)]) {
        expect((await logout(other, one)).body).toEqual({ success: true })
      }
      expect(await isGood(project, token)).toBe(true)
      expect((await list(admin)).status).toBe(200)
    })

    test('400 for an empty or missing token, 401 without a key', async () => {
      for (const body of [{ token: '' }, {}, { token: 5 }, { token: null }, { token: 'x', all: true }]) {
        expect((await post('/api/auth/logout', project, body)).status).toBe(400)
        expect((await post('/api/auth/logout', {}, body)).status).toBe(401)
      }
    })
  })

  describe('POST /api/auth/logout-all', () => {
    test('ends every session of the member in the calling project, and no other', async () => {
      const mine = [await givenSession(world, project), await givenSession(world, project)]
      const elsewhere = await givenSession(world, other)
      const someone = await givenSession(world, project, demo.users.mara)
      expect((await logoutAll(project, demo.users.ada)).body).toEqual({ success: true })
      for (const { token } of mine) expect(await isGood(project, token)).toBe(false)
      expect(await isGood(other, elsewhere.token)).toBe(true)
      expect(await isGood(project, someone.token)).toBe(true)
      expect(await isGood(project, (await givenSession(world, project)).token)).toBe(true)
    })

    test('a code that was not exchanged yet is void, too; one of another project is not', async () => {
      const [code, elsewhere] = [await givenCode(world, project), await givenCode(world, other)]
      await logoutAll(project, demo.users.ada)
      expect((await exchange(world, project, code)).body.code).toBe('INVALID_CODE')
      expect((await exchange(world, other, elsewhere)).status).toBe(200)
    })

    test('an unknown member is answered the same as a known one', async () => {
      for (const memberId of ['1', 'nobody', '99999999999999999', demo.users.emil]) {
        expect((await logoutAll(project, memberId)).body).toEqual({ success: true })
      }
    })

    test('400 for an empty or missing member, 401 without a key', async () => {
      for (const body of [{ memberId: '' }, {}, { memberId: 5 }, { memberId: ['x'] }]) {
        expect((await post('/api/auth/logout-all', project, body)).status).toBe(400)
        expect((await post('/api/auth/logout-all', {}, body)).status).toBe(401)
      }
    })
  })

  describe('GET /api/auth/sessions', () => {
    test('lists the member’s own live sessions of all projects, newest first, without token material', async () => {
      const first = await walkSession(world, project, demo.users.kenji)
      const second = await walkSession(world, other, demo.users.kenji)
      const ended = await walkSession(world, project, demo.users.kenji)
      await givenSession(world, project, demo.users.mara)
      await logout(project, ended.token)
      const reply = await list(first.token)
      // Each sign-in in a separate browser leaves single sign-on there, which is listed as well.
      const ofProjects = (sessions: { kind: string; projectId: string; serverId: string }[]) =>
        sessions.filter(({ kind }) => kind === 'project')
      const listed = ofProjects(reply.body.sessions)
      expect(listed.map(({ projectId }) => projectId)).toEqual([other.id, project.id])
      expect(reply.body.sessions).toHaveLength(2 + 3)
      for (const one of listed) {
        expect(Object.keys(one).sort()).toEqual([
          'clientInfo',
          'createdAt',
          'expiresAt',
          'id',
          'kind',
          'projectId',
          'serverId',
        ])
        expect(one.serverId).toBe(demo.mainGuildId)
      }
      expect(reply.text).not.toMatch(/rc[srk]_|digest|hash/)
      const idsOf = ({ body }: typeof reply) => body.sessions.map(({ id }: { id: string }) => id)
      expect(idsOf(await list(second.token))).toEqual(idsOf(reply))
      // An expired session is not listed: it cannot be used.
      await later(world.service, 31 * 86_400, async () => {
        const { token } = await givenSession(world, project, demo.users.kenji)
        expect(ofProjects((await list(token)).body.sessions)).toHaveLength(1)
      })
    })

    test('401 without a session: none, garbage, unknown, a refresh token, an API key', async () => {
      const { refreshToken } = await givenSession(world, project)
      for (const token of ['x', mintToken('session'), refreshToken, project.key]) {
        const reply = await list(token)
        expect(reply.status).toBe(401)
        expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/)
      }
      expect((await call(world.url, 'GET', '/api/auth/sessions')).status).toBe(401)
    })
  })

  describe('DELETE /api/auth/sessions/{sessionId}', () => {
    const idOf = async (token: string) => (await validate(world, project, token)).body.session.id as string

    test('204, and the next request with that token fails', async () => {
      const [mine, victim] = [await givenSession(world, project), await givenSession(world, project)]
      const id = await idOf(victim.token)
      const reply = await revoke(mine.token, id)
      expect(reply.status).toBe(204)
      expect(reply.text).toBe('')
      expect(await isGood(project, victim.token)).toBe(false)
      expect((await list(victim.token)).status).toBe(401)
      expect((await revoke(mine.token, id)).status).toBe(404)
      expect(await isGood(project, mine.token)).toBe(true)
    })

    test('one may revoke the session that asks', async () => {
      const { token } = await givenSession(world, project)
      expect((await revoke(token, await idOf(token))).status).toBe(204)
      expect((await list(token)).status).toBe(401)
    })

    test('another member’s session is the same 404 as none, byte for byte, and goes on', async () => {
      const mine = await givenSession(world, project)
      const theirs = await givenSession(world, project, demo.users.mara)
      const bodies = new Set<string>()
      for (const id of [
        await idOf(theirs.token),
        '01890000-0000-7000-8000-000000000000',
        'x',
        '%00',
        '..%2f',
        "1'--",
      ]) {
        const reply = await revoke(mine.token, id)
        if (id === '%00') {
          expect([400, 404]).toContain(reply.status)
          continue
        }
        expect(reply.status, id).toBe(404)
        const { requestId: _, ...body } = reply.body
        bodies.add(JSON.stringify(body))
      }
      expect(bodies.size).toBe(1)
      expect(await isGood(project, theirs.token)).toBe(true)
    })

    test('401 comes before 404', async () => {
      expect((await revoke('x', 'x')).status).toBe(401)
    })
  })
})
