import { demo } from '@rolecall/chat-sim'
import { refusedLogins } from '@rolecall/contract'
import { describe, expect, test } from 'vitest'
import { hostileTexts } from '../../../test/administration.ts'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import {
  authorizePath,
  Browser,
  givenProject,
  givenSession,
  walkAdminLogin,
  walkLogin,
} from '../../../test/given.ts'
import { authPath, clientUri, givenClient, walk } from '../../../test/oidc.ts'
import { adminForTests, projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'
import { hostRolesCheck } from '../forward-auth/checks.ts'
import { callbackChecks, codeCheck } from '../login/checks.ts'

const { users, mainGuildId } = demo

test('each code maps to the step of an explanation that refuses with it', () => {
  const steps = Object.fromEntries([...callbackChecks, codeCheck].map(({ refusal, name }) => [refusal, name]))
  const { declined, role_lacking, ...ofLogins } = refusedLogins.refusalSteps
  expect(steps).toMatchObject(ofLogins)
  expect(role_lacking).toBe(hostRolesCheck.name)
  expect(declined).toBe('consent.given')
})

describe.each(ciEngines)('refused sign-ins on %s', (engine) => {
  const world = worldForTests(engine)
  const admin = adminForTests(world)
  const project = projectForTests(world)

  const list = async (query: Record<string, string> = {}, token = admin.token) => {
    await world.service.recorder.flush()
    return call(world.url, 'GET', `/api/admin/refused-logins?${new URLSearchParams(query)}`, { token })
  }
  const newest = async (search: string) => (await list({ search, limit: '1' })).body.data[0]
  const refuse = (as: string, id = project.id) => walkLogin(world, authorizePath(id), { as })

  test('are found by username, display name, and ID, with project, server, code, and step', async () => {
    const end = await refuse(users.emil)
    expect(end.searchParams.get('error_reason')).toBe('not_a_member')
    const [entry] = (await list()).body.data
    expect(entry).toMatchObject({
      ...{ memberId: users.emil, username: 'emil.strand', displayName: expect.stringMatching(/^Emil/) },
      ...{ projectId: project.id, serverId: mainGuildId, code: 'not_a_member' },
      ...{ step: 'callback.member_of_server', at: expect.stringMatching(/Z$/) },
    })
    for (const search of ['EMIL', 'mil', entry.displayName, users.emil])
      expect(await newest(search), search).toEqual(entry)
    for (const search of [...hostileTexts, users.emil.slice(1)])
      expect((await list({ search })).body.data, search).toEqual([])
  })

  test('include blocks and declined consents', async () => {
    const block = `/api/admin/members/${users.tomas}/block`
    await refuse(users.tomas)
    await call(world.url, 'PUT', block, { ...admin, body: { reason: 'A test' } })
    expect((await refuse(users.tomas)).searchParams.get('error_reason')).toBe('blocked')
    expect(await newest(users.tomas)).toMatchObject({ code: 'blocked', step: 'callback.not_blocked' })

    const client = await givenClient(world, { isInternal: false })
    await walk(world, authPath(client), { as: users.yusra, decision: 'deny' })
    expect(await newest(users.yusra)).toMatchObject({
      ...{ code: 'declined', projectId: client.id, serverId: mainGuildId, step: 'consent.given' },
    })
  })

  test('are paged without gaps or duplicates, and filtered by project and period', async () => {
    const other = await givenProject(world)
    for (let i = 0; i < 5; i++) await refuse(users.viktor, i % 2 ? other.id : project.id)
    const all = (await list({ search: users.viktor })).body.data
    expect(all).toHaveLength(5)
    const paged: unknown[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: Record<string, string> = { search: users.viktor, limit: '2', ...(cursor && { cursor }) }
      const { body } = await list(query)
      paged.push(...body.data)
      cursor = body.nextCursor
    }
    expect(paged).toEqual(all)
    expect((await list({ search: users.viktor, projectId: other.id })).body.data).toHaveLength(2)
    expect((await list({ search: users.viktor, to: '2020-01-01' })).body.data).toEqual([])
    expect((await list({ from: '2026-01-02', to: '2026-01-01' })).status).toBe(400)
    expect((await list({ limit: '101' })).status).toBe(400)
  })

  test('are shown to an owner for their projects only, and to no member', async () => {
    const owned = await givenProject(world, { owners: { memberIds: [users.joon] } })
    await refuse(users.emil, owned.id)
    await refuse(users.emil)
    const token = await walkAdminLogin(world, users.joon)
    const { data } = (await list({}, token)).body
    expect(data.map((entry: { projectId: string }) => entry.projectId)).toEqual([owned.id])
    expect((await list({ projectId: project.id }, token)).body.data).toEqual([])
    expect((await list({}, (await givenSession(world, project)).token)).status).toBe(403)
  })

  test('do not show owners the members who declined to share their identity', async () => {
    const client = await givenClient(world, { isInternal: false, owners: { memberIds: [users.joon] } })
    await walk(world, authPath(client), { as: users.yusra, decision: 'deny' })
    await walkLogin(world, authorizePath(client.id, { redirect_uri: clientUri }), { as: users.emil })
    const codes = async (token: string) =>
      (await list({ projectId: client.id }, token)).body.data.map(({ code }: { code: string }) => code)
    expect(await codes(admin.token)).toEqual(['not_a_member', 'declined'])
    expect(await codes(await walkAdminLogin(world, users.joon))).toEqual(['not_a_member'])
  })

  test('do not show owners of external projects the members who came by single sign-on without consent', async () => {
    const browser = new Browser(world.url)
    await walk(world, authPath(await givenClient(world)), { browser, as: users.kenji })
    const external = await givenClient(world, { isInternal: false, owners: { memberIds: [users.joon] } })
    world.sim.world.removeMember(mainGuildId, users.kenji)
    const end = await walk(world, authPath(external, { prompt: 'none' }), { browser })
    expect(end.searchParams.get('error_reason')).toBe('not_a_member')
    const codes = async (token: string) =>
      (await list({ projectId: external.id }, token)).body.data.map(({ code }: { code: string }) => code)
    expect(await codes(admin.token)).toEqual(['not_a_member'])
    expect(await codes(await walkAdminLogin(world, users.joon))).toEqual([])
  })

  test('are recorded a limited number of times a minute for each member and project', async () => {
    const other = await givenProject(world)
    for (let i = 0; i < 7; i++) await refuse(users.viktor, other.id)
    expect((await list({ projectId: other.id })).body.data).toHaveLength(5)
  })

  test('are shown to an owner with more projects than a list shows', async () => {
    const { db } = world.service.deps
    const [owned] = await db.query<{ id: string }>(sql`
      with made as (
        insert into projects (id, name, redirect_uris)
        select gen_random_uuid(), 'Aaa ' || n, '{}' from generate_series(1, 101) n returning id
      ), last as (
        insert into projects (id, name, redirect_uris) values (gen_random_uuid(), 'Zzz', '{}') returning id
      ), owned as (
        insert into project_owners (project_id, member_ids)
        select id, ${[users.joon]}::text[] from made union all select id, ${[users.joon]} from last
      )
      select id from last`)
    await db.execute(sql`
      insert into auth_failures (id, at, kind, reason, path, project_id, server_id, member_id)
      values (gen_random_uuid(), clock_now(), 'code', 'blocked', '/', ${owned?.id}, ${mainGuildId}, ${users.ada})`)
    const token = await walkAdminLogin(world, users.joon)
    expect((await list({ search: users.ada }, token)).body.data).toMatchObject([{ projectId: owned?.id }])
  })

  test('are not lost in a flood of bad API keys', async () => {
    for (let i = 0; i < 6_000; i++)
      world.service.recorder.addFailure(() => ({
        ...{ at: performance.now(), kind: 'api_key', reason: 'unknown', address: null, path: '/' },
        ...{ projectId: null, serverId: null, keyPrefix: null, memberId: null, requestId: 'flood' },
      }))
    await refuse(users.viktor)
    expect((await newest(users.viktor)).at > new Date(Date.now() - 60_000).toISOString()).toBe(true)
  })

  test('are erased with the person, including one that is written after the erasure', async () => {
    const rows = () =>
      world.service.deps.db.query<{ address: string | null; code: string }>(sql`
        select address, reason as code from auth_failures
        where member_id = ${users.emil} or (server_id is not null and address is not null)`)
    await list()
    await world.service.deps.db.execute(sql`delete from auth_failures where member_id <> ${users.emil}`)
    expect(await rows()).not.toEqual([])
    // This refusal is still in memory while the person is erased.
    await refuse(users.emil)
    const erased = await call(world.url, 'DELETE', `/api/admin/members/${users.emil}`, admin)
    expect(erased.status, erased.text).toBeLessThan(300)
    await world.service.recorder.flush()
    expect(await rows()).toEqual([])
    expect((await list({ search: users.emil })).body.data).toEqual([])
  })
})
