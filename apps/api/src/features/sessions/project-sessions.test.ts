import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { type GivenProject, givenProject, givenSession, validate } from '../../../test/given.ts'
import { startWorld } from '../../../test/service.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'
import { stretchStatement } from './project-sessions-store.ts'

const { users, mainGuildId: club, gamesGuildId: games } = demo

interface Listed {
  readonly id: string
  readonly memberId: string
  readonly createdAt: string
  readonly refreshedAt: string
}

describe.each(ciEngines)('the sessions of a project, for an admin, on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  const admin = adminForTests(world)
  beforeAll(async () => {
    await ask('POST', '/servers', { id: games })
  })

  const ask = (method: string, path: string, body?: object) =>
    call(world.url, method, `/api/admin${path}`, { ...admin, ...(body && { body }) })
  const list = async ({ id }: GivenProject, query = '') => {
    const { status, body, text } = await ask('GET', `/projects/${id}/sessions${query}`)
    expect(status, text).toBe(200)
    return body as { data: Listed[]; nextCursor: string | null }
  }
  const membersIn = async (project: GivenProject, query?: string) =>
    (await list(project, query)).data.map(({ memberId }) => memberId)

  test('are told with whose they are, where, of which browser and how they were made, and without tokens', async () => {
    const project = await givenProject(world)
    const made = await givenSession(world, project, users.ada)
    await givenSession(world, await givenProject(world), users.kenji)
    const { data } = await list(project)
    expect(data).toHaveLength(1)
    const [one] = data
    expect(one).toMatchObject({
      ...{ kind: 'code', memberId: users.ada, serverId: club, serverName: 'Harbour Club' },
      clientInfo: { ipAddress: '127.0.0.1', userAgent: 'node' },
    })
    expect(one?.refreshedAt).toBe(one?.createdAt)
    expect(JSON.stringify(data)).not.toMatch(/rcs_|rcr_/)

    const { refreshToken } = made
    const refreshed = await call(world.url, 'POST', '/api/auth/token/refresh', {
      ...{ token: made.token, body: { refreshToken } },
    })
    expect(refreshed.status, refreshed.text).toBe(200)
    await world.service.deps.db.execute(sql`
      insert into oidc_sessions (session_id, project_id, scope) values (${one?.id}, ${project.id}, 'openid')`)
    // A sign-in and its refresh may be in the same millisecond.
    await world.service.deps.db.execute(sql`
      update spent_tokens set spent_at = spent_at + interval '1 second' where session_id = ${one?.id}`)
    const [later] = (await list(project)).data
    expect(later).toMatchObject({ kind: 'oidc' })
    expect(Date.parse(later?.refreshedAt ?? '')).toBeGreaterThan(Date.parse(later?.createdAt ?? ''))
  })

  test('are read by cursor, newest first, each once; also those of one member, and those in one server', async () => {
    const project = await givenProject(world, { serverIds: [club, games] })
    const all = [users.ada, users.joon, users.ada, users.kenji, users.joon]
    for (const member of all) await givenSession(world, project, member)
    expect(await membersIn(project)).toEqual(all.toReversed())
    const read: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await list(project, `?limit=2${cursor && `&cursor=${cursor}`}`)
      expect(page.data.length).toBeLessThanOrEqual(2)
      read.push(...page.data.map(({ memberId }) => memberId))
      cursor = page.nextCursor
    }
    expect(read).toEqual(all.toReversed())
    expect(await membersIn(project, `?memberId=${users.ada}`)).toEqual([users.ada, users.ada])
    expect(await membersIn(project, `?serverId=${games}`)).toEqual([])
    expect(await membersIn(project, `?serverId=${club}`)).toHaveLength(5)
    const malformed = await ask('GET', `/projects/${project.id}/sessions?cursor=yesterday`)
    expect([malformed.status, malformed.body.code]).toEqual([400, 'VALIDATION_FAILED'])
  })

  test('are those that are good now: not ended, not where the project may not read, none while it is inactive', async () => {
    const project = await givenProject(world)
    const [first, second] = [
      await givenSession(world, project, users.rosa),
      await givenSession(world, project, users.ada),
    ]
    const [newest] = (await list(project)).data
    expect((await ask('DELETE', `/members/${users.ada}/sessions/${newest?.id}`)).status).toBe(204)
    expect((await validate(world, project, second.token)).status).toBe(401)
    expect(await membersIn(project)).toEqual([users.rosa])
    await ask('PATCH', `/projects/${project.id}`, { isActive: false })
    expect(await membersIn(project)).toEqual([])
    expect((await validate(world, project, first.token)).status).toBe(401)
    await ask('DELETE', `/projects/${project.id}`)
    expect((await ask('GET', `/projects/${project.id}/sessions`)).body.code).toBe('PROJECT_NOT_FOUND')
  })

  test('go on after many that are good no more: the page is short, and its cursor leads to the rest', async () => {
    const project = await givenProject(world)
    await givenSession(world, project, users.ada)
    // More than one request reads. They are newer, and of an earlier membership.
    await world.service.deps.db.execute(sql`
      insert into sessions (id, project_id, member_id, server_id, membership_generation, token_digest, refresh_digest,
        created_at, expires_at, max_expires_at)
      select gen_random_uuid(), s.project_id, s.member_id, s.server_id, s.membership_generation - 1,
        s.token_digest || i, s.refresh_digest || i, s.created_at + i * interval '1 millisecond', s.expires_at, s.max_expires_at
      from sessions s, generate_series(1, 20000) i where s.project_id = ${project.id}`)
    const first = await list(project)
    expect(first.data).toEqual([])
    const rest = await list(project, `?cursor=${first.nextCursor}`)
    expect(rest.data.map(({ memberId }) => memberId)).toEqual([users.ada])
    expect(rest.nextCursor).toBeNull()
  })

  test('of one member are counted before they are ended everywhere, and nothing is ended by that', async () => {
    const project = await givenProject(world)
    const { token } = await givenSession(world, project, users.tomas)
    await givenSession(world, await givenProject(world), users.tomas)
    const told = await ask('DELETE', `/members/${users.tomas}/sessions?dryRun=true`)
    expect([told.status, told.body]).toEqual([
      200,
      expect.objectContaining({ dryRun: true, sessionsEnded: 2, membersAffected: 1, clientSessionsEnded: 0 }),
    ])
    expect((await validate(world, project, token)).status).toBe(200)
    const entries = await ask('GET', `/audit/logs?targetId=${users.tomas}`)
    expect(entries.body.total).toBe(0)
    const unknown = await ask('DELETE', '/members/999999999999999999/sessions?dryRun=true')
    expect(unknown.body.code).toBe('MEMBER_NOT_FOUND')
  })
})

test('a page of a project with many sessions is read from their index, the last page like the first', async () => {
  const world = await startWorld('postgres')
  try {
    const project = await givenProject(world)
    await givenSession(world, project, users.ada)
    const { db } = world.service.deps
    await db.script(`
      insert into sessions (id, project_id, member_id, server_id, membership_generation, token_digest, refresh_digest,
        created_at, expires_at, max_expires_at)
      select gen_random_uuid(), s.project_id, s.member_id, s.server_id, s.membership_generation, 't' || i, 'r' || i,
        s.created_at - i * interval '1 second', s.expires_at, s.max_expires_at
      from sessions s, generate_series(1, 20000) i;
      analyze`)
    const createdAt = new Date(Date.now() - 19_000_000)
    for (const after of [undefined, { createdAt, id: 'ffffffff-ffff-4fff-bfff-ffffffffffff' }]) {
      const asked = { projectId: project.id, serverIds: [club], after, limit: 51 }
      const rows = await db.query<{ 'QUERY PLAN': string }>(
        sql`explain (costs off) ${stretchStatement(asked)}`,
      )
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(plan).toContain('using sessions_of_project')
      expect(plan).not.toMatch(/Seq Scan on sessions/)
    }
  } finally {
    await world.close()
  }
})
