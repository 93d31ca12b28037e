import { demo } from '@rolecall/chat-sim'
import type { memberHistory } from '@rolecall/contract'
import { describe, expect, test } from 'vitest'
import { clean } from '../../../test/clean.ts'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { countRows, givenSession, walkAdminLogin } from '../../../test/given.ts'
import { startLiveMirror, untilLive, untilTrue } from '../../../test/live-mirror.ts'
import { givenClient, logIn } from '../../../test/oidc.ts'
import { adminForTests, projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const { users, mainGuildId, roles } = demo
const deletedRole = '499999999999999999'

describe.each(ciEngines)('the history of a member on %s', (engine) => {
  const world = worldForTests(engine, { RATE_LIMIT_GLOBAL: '0' })
  const admin = adminForTests(world)
  const project = projectForTests(world, { name: 'Crew list' })

  const list = (id: string, query = '') =>
    call(world.url, 'GET', `/api/admin/members/${id}/history${query}`, admin)
  const entriesOf = async (id: string): Promise<memberHistory.MemberHistoryEntry[]> => {
    const { status, text, body } = await list(id)
    expect(status, text).toBe(200)
    return body.data
  }
  const kindsOf = async (id: string) =>
    (await entriesOf(id)).map(({ kind, role }) => (role ? `${kind} ${role.name}` : kind))
  const changes = () => countRows(world, 'member_role_changes')
  const setRoles = (id: string, ...roleIds: string[]) => world.sim.world.setRoles(mainGuildId, id, roleIds)
  const sync = async () => {
    const path = `/api/admin/servers/${mainGuildId}/sync`
    expect((await call(world.url, 'POST', path, admin)).status).toBe(202)
    await expect
      .poll(() => countRows(world, 'member_syncs where finished_at is null'), { timeout: 20_000 })
      .toBe(0)
  }

  test('has the changes that a list reveals, but no first roles', async () => {
    setRoles(users.joon, roles.crew)
    await sync()
    expect(await changes()).toBe(0)
    setRoles(users.joon, roles.captain)
    await sync()
    await sync()
    expect((await kindsOf(users.joon)).sort()).toEqual(['role_added Captain', 'role_removed Crew'])
    expect(await changes()).toBe(2)
  })

  test('has the changes that the gateway reports, in order, with the server and the role', async () => {
    setRoles(users.tomas, roles.crew)
    const mirror = startLiveMirror(world.service)
    await untilLive(world)
    setRoles(users.tomas, roles.crew, roles.captain)
    await untilTrue(world)
    setRoles(users.tomas, roles.crew)
    await untilTrue(world)
    await mirror.close()
    const [lost, received] = await entriesOf(users.tomas)
    expect(lost).toMatchObject({
      kind: 'role_removed',
      role: { id: roles.captain, name: 'Captain', color: expect.any(Number) },
      server: { id: mainGuildId, name: expect.any(String) },
      project: null,
    })
    expect(received).toMatchObject({ kind: 'role_added', role: { id: roles.captain } })
  })

  test('has no roles that left and came back with the member', async () => {
    const { mirrorMember } = world.service.deps
    const before = await changes()
    const member = await world.service.deps.chat.member(mainGuildId, users.rosa, 'login')
    if (!member) throw new Error('Rosa is no member')
    await mirrorMember(mainGuildId, member.user, undefined, 'now')
    await mirrorMember(mainGuildId, member.user, { ...member, roleIds: [roles.captain] }, 'now')
    expect(await changes()).toBe(before)
    await mirrorMember(mainGuildId, member.user, { ...member, roleIds: [] }, 'now')
    expect(await kindsOf(users.rosa)).toEqual(['role_removed Captain'])
  })

  test('has only the ID of a role that was deleted', async () => {
    await world.service.deps.db.execute(sql`
      insert into member_role_changes (member_id, server_id, role_id, is_added)
      values (${users.ada}, ${mainGuildId}, ${deletedRole}, false)`)
    expect((await entriesOf(users.ada))[0]?.role).toEqual({ id: deletedRole, name: null, color: null })
  })

  test('has each sign-in: to a project, by OpenID Connect, and to the console, also after its end', async () => {
    await givenSession(world, project, users.kenji)
    const wiki = await givenClient(world)
    await logIn(world, wiki, { as: users.kenji })
    const end = await call(world.url, 'POST', '/api/auth/logout-all', {
      key: project.key,
      body: { memberId: users.kenji },
    })
    expect(end.status).toBe(200)
    const [second, first] = await entriesOf(users.kenji)
    expect(first).toMatchObject({
      kind: 'signed_in',
      server: { id: mainGuildId },
      role: null,
      project: { id: project.id, name: 'Crew list' },
    })
    expect(second?.project?.id).toBe(wiki.id)

    await walkAdminLogin(world, users.mara)
    expect((await entriesOf(users.mara))[0]).toMatchObject({ kind: 'signed_in', server: null, project: null })
  })

  test('is paged without gaps or duplicates', async () => {
    for (let i = 0; i < 3; i++) await givenSession(world, project, users.tomas)
    const all = await entriesOf(users.tomas)
    const paged: unknown[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body } = await list(users.tomas, `?limit=2${cursor && `&cursor=${cursor}`}`)
      paged.push(...body.data)
      cursor = body.nextCursor
    }
    expect(all.length).toBeGreaterThanOrEqual(5)
    expect(paged).toEqual(all)
    expect((await list(users.tomas, '?limit=101')).status).toBe(400)
    expect((await list(users.tomas, '?cursor=x')).status).toBe(400)
  })

  test('is of known members', async () => {
    expect((await list('1234567890123456789')).body.code).toBe('MEMBER_NOT_FOUND')
  })

  test('is 30 days long', async () => {
    await world.service.deps.db.execute(sql`
      insert into member_role_changes (member_id, server_id, role_id, is_added, at)
      select ${users.yusra}, ${mainGuildId}, ${roles.crew}, true, clock_now() - days * interval '1 day'
      from (values (29), (31)) x (days)`)
    expect(await entriesOf(users.yusra)).toHaveLength(1)
    await clean(world)
    expect(await countRows(world, `member_role_changes where member_id = '${users.yusra}'`)).toBe(1)
  })

  test('is erased with the person', async () => {
    const erased = await call(world.url, 'DELETE', `/api/admin/members/${users.tomas}`, admin)
    expect(erased.status, erased.text).toBe(204)
    expect(await countRows(world, `member_role_changes where member_id = '${users.tomas}'`)).toBe(0)
    expect((await list(users.tomas)).status).toBe(404)
  })
})
