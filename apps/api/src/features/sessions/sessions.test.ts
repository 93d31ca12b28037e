import { demo } from '@rolecall/chat-sim'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { call, type Reply } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import {
  type GivenProject,
  givenProject,
  givenSession,
  validate,
  walkAdminLogin,
  walkSession,
} from '../../../test/given.ts'
import { type Real, sessionSteps } from '../../../test/session-model.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

describe.each(mainEngines)('sessions on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
  let projects: [GivenProject, GivenProject]
  let urls: string[]
  beforeAll(async () => {
    projects = [await givenProject(world), await givenProject(world)]
    urls = [world.url, ...(engine === 'postgres' ? [(await world.another()).url] : [])]
  })

  test('a login ends in a session that validates with the member’s roles', async () => {
    const [project] = projects
    const session = await walkSession(world, project, demo.users.ada)
    const reply = await validate(world, project, session.token)
    expect(reply.status).toBe(200)
    expect(reply.body.member.id).toBe(demo.users.ada)
    expect(reply.body.roles).toMatchObject([{ roleId: demo.roles.crew, roleName: 'Crew' }])
  })

  test('an admin session lists itself', async () => {
    const token = await walkAdminLogin(world)
    const reply = await call(world.url, 'GET', '/api/auth/sessions', { token })
    expect(reply.body.sessions).toMatchObject([
      { kind: 'admin', projectId: null },
      { kind: 'sso', projectId: null, serverId: null },
    ])
  })

  // Each request goes to a different instance from the previous one.
  let asked = 0
  const next = () => urls[asked++ % urls.length] as string
  const outcome = ({ status, body }: Reply) => (status < 300 ? 'ok' : String(body['code']))
  const post = (of: number, path: string, body: object) =>
    call(next(), 'POST', path, { key: (projects[of] as GivenProject).key, body })
  const real: Real = {
    async issue(member, of) {
      const project = projects[of] as GivenProject
      const { token, refreshToken } = await givenSession(world, project, member)
      return { id: (await post(of, '/api/auth/validate', { token })).body.session.id, token, refreshToken }
    },
    async validate(of, token) {
      const reply = await post(of, '/api/auth/validate', { token })
      return { outcome: outcome(reply), member: reply.body.member?.id, id: reply.body.session?.id }
    },
    async refresh(token, refreshToken) {
      const reply = await call(next(), 'POST', '/api/auth/token/refresh', { token, body: { refreshToken } })
      return { outcome: outcome(reply), token: reply.body.accessToken, refreshToken: reply.body.refreshToken }
    },
    logout: async (of, token) => outcome(await post(of, '/api/auth/logout', { token })),
    logoutAll: async (of, memberId) => outcome(await post(of, '/api/auth/logout-all', { memberId })),
    revoke: async (token, id) => outcome(await call(next(), 'DELETE', `/api/auth/sessions/${id}`, { token })),
    async list(token) {
      const reply = await call(next(), 'GET', '/api/auth/sessions', { token })
      const listed: { id: string; kind: string }[] | undefined = reply.body.sessions
      // Single sign-on is listed as well, but is not a session of the model.
      const ids = listed?.filter(({ kind }) => kind !== 'sso').map(({ id }) => id)
      return { outcome: outcome(reply), ...(ids && { ids }) }
    },
    leave: (member) => world.service.deps.mirrorMember(demo.mainGuildId, { id: member }, undefined, 'now'),
  }

  test('after any changes of sessions in any order, the service answers as the reference model does', async () => {
    await fc.assert(
      fc.asyncProperty(sessionSteps([demo.users.ada, demo.users.joon, demo.users.tomas]), async (steps) => {
        await world.service.deps.db.execute(
          sql`update sessions set revoked_at = clock_now() where revoked_at is null`,
        )
        await fc.asyncModelRun(() => ({ model: { sessions: [] }, real }), steps)
      }),
      { numRuns: 12 },
    )
  }, 120_000)
})
