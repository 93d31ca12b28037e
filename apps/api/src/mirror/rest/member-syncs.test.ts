import { demo } from '@rolecall/chat-sim'
import type { chatServers } from '@rolecall/contract'
import { afterEach, describe, expect, test } from 'vitest'
import { noUserFields } from '#chat/chat-objects'
import { uuidv7 } from '#platform/crypto/uuid'
import { sql } from '#platform/db/sql'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { givenProject, givenSession, validate } from '../../../test/given.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'

const servers = '/api/admin/servers'
const club = demo.mainGuildId
const { ada, mara, tomas, joon, rosa } = demo.users

describe.each(mainEngines)('member syncs on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  const admin = adminForTests(world)
  afterEach(() => world.sim.clearFaults())

  const post = (id: string = club) =>
    call<chatServers.MemberSync>(world.url, 'POST', `${servers}/${id}/sync`, admin)
  const latest = async (id: string = club): Promise<chatServers.MemberSync> => {
    const { body } = await call(world.url, 'GET', servers, admin)
    return body.data.find((one: { id: string }) => one.id === id).lastSync
  }
  /** A sync from its start to its end. */
  const sync = async (id: string = club) => {
    const started = await post(id)
    expect(started.status).toBe(202)
    await expect.poll(async () => (await latest(id)).status, { timeout: 20_000 }).not.toBe('running')
    const ended = await latest(id)
    expect(ended.id).toBe(started.body.id)
    return ended
  }
  const membership = (memberId: string) =>
    world.service.deps.db.maybeOne<{ hasLeft: boolean; nick: string | null; roleIds: string[] }>(sql`
      select left_at is not null as "hasLeft", nick, role_ids as "roleIds" from memberships
      where server_id = ${club} and member_id = ${memberId}`)
  const lastAudit = (action: string) =>
    world.service.deps.db.maybeOne<{
      severity: string
      actor: string | null
      summary: string
      type: string
    }>(sql`
      select severity, actor_id as actor, summary, action_type as type from audit_log
      where action = ${action} order by seq desc limit 1`)
  const guild = () => {
    const found = world.sim.world.guilds.get(club)
    if (!found) throw new Error('no club')
    return found
  }

  test('read every member with nickname and roles, and leave one audit entry with counts and duration', async () => {
    const ended = await sync()
    expect(ended).toMatchObject({ status: 'succeeded', seen: guild().members.size, ended: 0, problem: null })
    const rows = await world.service.deps.db.query<{
      id: string
      nick: string | null
      roleIds: string[]
    }>(sql`
      select member_id as id, nick, role_ids as "roleIds" from memberships where server_id = ${club}`)
    expect(rows).toHaveLength(guild().members.size)
    for (const { id, nick, roleIds } of rows) {
      const member = guild().members.get(id)
      expect({ id, nick, roleIds }).toEqual({ id, nick: member?.nick, roleIds: member?.roles.toSorted() })
    }
    const entry = await lastAudit('server.sync')
    expect(entry).toMatchObject({ severity: 'info', actor: mara, type: 'sync' })
    expect(entry?.summary).toMatch(
      new RegExp(`${ended.seen} seen, ${ended.changed} written, 0 ended, in [0-9.]+ s`),
    )
  })

  test('write nothing where nothing changed', async () => {
    const before = await world.service.deps.db.query(sql`select xmin, * from memberships order by member_id`)
    expect(await sync()).toMatchObject({ status: 'succeeded', changed: 0, ended: 0 })
    expect(
      await world.service.deps.db.query(sql`select xmin, * from memberships order by member_id`),
    ).toEqual(before)
  })

  test('write what changed, and that alone', async () => {
    world.sim.world.setRoles(club, tomas, [demo.roles.crew, demo.roles.quiet])
    world.sim.world.setNick(club, rosa, 'Rosa the ready')
    expect(await sync()).toMatchObject({ changed: 2, ended: 0 })
    expect((await membership(tomas))?.roleIds).toEqual([demo.roles.crew, demo.roles.quiet].toSorted())
    expect((await membership(rosa))?.nick).toBe('Rosa the ready')
  })

  test('end the membership and the sessions of members who left, as the platform says', async () => {
    const project = await givenProject(world)
    const session = await givenSession(world, project, ada)
    world.sim.world.removeMember(club, ada)
    expect(await sync()).toMatchObject({ status: 'succeeded', ended: 1 })
    expect((await membership(ada))?.hasLeft).toBe(true)
    expect((await validate(world, project, session.token)).status).toBe(401)
    expect(await lastAudit('member.leave')).toMatchObject({ type: 'member' })

    world.sim.world.addMember(club, ada)
    expect(await sync()).toMatchObject({ changed: 1, ended: 0 })
    expect((await membership(ada))?.hasLeft).toBe(false)
    expect((await validate(world, project, session.token)).status).toBe(401)
  })

  test('end nothing when a page is refused, and say so', async () => {
    world.sim.world.removeMember(club, joon)
    world.sim.failNext('members', { status: 403, code: 50_001 })
    const ended = await sync()
    expect(ended).toMatchObject({
      status: 'failed',
      ended: 0,
      problem: 'Discord returned status 403.',
    })
    expect((await membership(joon))?.hasLeft).toBe(false)
    expect(await lastAudit('server.sync')).toMatchObject({ severity: 'error', actor: mara })
  })

  test('end nothing that the platform does not confirm for that one member', async () => {
    world.sim.failNext('member', { status: 403, code: 50_001 })
    expect(await sync()).toMatchObject({ status: 'failed', ended: 0 })
    expect((await membership(joon))?.hasLeft).toBe(false)
  })

  test('keep a member whom the list lacks but the platform knows', async () => {
    world.sim.failNext('member', { status: 503 }, { times: 2 })
    const asked = world.sim.journal.count('member')
    await post()
    await expect.poll(() => world.sim.journal.count('member')).toBeGreaterThan(asked)
    world.sim.world.addMember(club, joon)
    await expect.poll(async () => (await latest()).status, { timeout: 20_000 }).toBe('succeeded')
    expect(await latest()).toMatchObject({ ended: 0 })
    expect((await membership(joon))?.hasLeft).toBe(false)
  })

  test.each([
    { status: 503 },
    { reset: true },
    { html200: true },
    { status: 429, retryAfterSec: 1 },
    { truncate: true },
  ])('wait for a platform that answers %j, and go on where they were', async (fault) => {
    world.sim.failNext('members', fault, { times: 3 })
    expect(await sync()).toMatchObject({ status: 'succeeded', seen: guild().members.size, ended: 0 })
  })

  test('do not overwrite what was learned after they asked', async () => {
    const { deps } = world.service
    world.sim.failNext('members', { delayMs: 400 })
    const asked = world.sim.journal.count('members')
    await post()
    await expect.poll(() => world.sim.journal.count('members')).toBeGreaterThan(asked)
    await deps.mirrorMember(club, { id: tomas }, undefined, 'now')
    await expect.poll(async () => (await latest()).status, { timeout: 20_000 }).toBe('succeeded')
    expect((await membership(tomas))?.hasLeft).toBe(true)
  })

  test('run one at a time: a second request answers the one that runs', async () => {
    world.sim.failNext('members', { delayMs: 300 })
    const replies = await Promise.all([post(), post(), post()])
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1)
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 202])
    expect(replies[0]?.body.status).toBe('running')
    await expect.poll(async () => (await latest()).status, { timeout: 20_000 }).toBe('succeeded')
  })

  test('stop when their server is removed', async () => {
    const games = demo.gamesGuildId
    await call(world.url, 'POST', servers, { ...admin, body: { id: games } })
    world.sim.failNext('members', { delayMs: 300 })
    await post(games)
    expect((await call(world.url, 'DELETE', `${servers}/${games}`, admin)).status).toBe(204)
    await expect
      .poll(async () => (await lastAudit('server.sync'))?.summary)
      .toContain('The server was removed')
    expect(
      await world.service.deps.db.query(
        sql`select id from members where is_current and id = ${demo.users.noor}`,
      ),
    ).toEqual([])
  })

  test('leave room for other requests, however many members there are', async () => {
    world.sim.world.bulkMembers(club, 3_000, [demo.roles.crew, demo.roles.guest])
    await post()
    const times: number[] = []
    while ((await latest()).status === 'running') {
      const from = performance.now()
      expect((await call(world.url, 'GET', '/api/health/ready')).status).toBe(200)
      times.push(performance.now() - from)
    }
    expect(await latest()).toMatchObject({ status: 'succeeded', seen: guild().members.size })
    // Some milliseconds on an idle machine; this one may be busy, but not with each of them.
    expect(times.sort((a, b) => a - b)[Math.floor(times.length / 2)]).toBeLessThan(1_000)
  })

  test('whose process is gone go on where they were, as the same run with one audit entry', async () => {
    const { deps } = world.service
    const [first] = (await deps.chat.members(club, '0', 100)).slice(-1)
    const left = world.sim.world.addUser({ id: '146000000000000000', username: 'left.meanwhile' })
    await deps.mirrorMember(
      club,
      { ...noUserFields, id: left.id, username: left.username, isBot: false },
      undefined,
      'now',
    )
    await deps.db.execute(sql`
      insert into memberships (server_id, member_id, synced_at)
      values (${club}, ${left.id}, clock_now() - interval '1 hour')`)
    const before = await lastAudit('server.sync')
    const id = uuidv7()
    await deps.db.execute(sql`
      insert into member_syncs (id, server_id, runner, started_at, beat_at, seen, after_id, unlisted, started_by)
      values (${id}, ${club}, gen_random_uuid(), clock_now(),
        clock_now() - interval '2 minutes', 100, ${first?.user.id ?? null},
        jsonb_build_array(jsonb_build_object('askedAt', iso(clock_now()), 'ids', jsonb_build_array(${left.id}::text), 'isDoubted', false)),
        ${JSON.stringify({ actor: { id: ada, username: 'ada' } })}::jsonb)`)
    world.sim.journal.clear()
    const ended = await sync()
    expect(ended).toMatchObject({
      id,
      status: 'succeeded',
      seen: guild().members.size,
      ended: 1,
    })
    expect((await membership(left.id))?.hasLeft).toBe(true)
    expect(world.sim.journal.entries('members').map(({ query }) => query)).not.toContainEqual(
      expect.stringContaining('after=0'),
    )
    const entry = await lastAudit('server.sync')
    expect(entry).not.toEqual(before)
    expect(entry).toMatchObject({ severity: 'info', actor: ada })
  })

  test('that were taken over by another process stop, and record nothing', async () => {
    world.sim.failFor('members', { delayMs: 300 }, 60_000)
    const { body } = await post()
    await world.service.deps.db.execute(
      sql`update member_syncs set runner = gen_random_uuid() where id = ${body.id}`,
    )
    const told = () => world.service.logs.lines.join('')
    await expect.poll(told).toContain('The server was removed, or another instance')
    expect(await latest()).toMatchObject({ id: body.id, status: 'running' })
    await world.service.deps.db.execute(
      sql`update member_syncs set beat_at = clock_now() - interval '2 minutes' where id = ${body.id}`,
    )
    world.sim.clearFaults()
    expect(await sync()).toMatchObject({ id: body.id, status: 'succeeded' })
  })

  test('go on at once with the next instance when theirs is stopped, as the same run with one audit entry', async () => {
    world.sim.failFor('members', { status: 503 }, 60_000)
    const { body } = await post()
    await world.service.close()
    world.sim.clearFaults()
    const { deps } = await world.another({ PERMISSION_TTL_MS: '3600000' })
    const run = () =>
      deps.db.maybeOne(sql`
        select finished_at is not null as "isOver", problem, seen from member_syncs where id = ${body.id}`)
    await expect.poll(run).toEqual({ isOver: true, problem: null, seen: guild().members.size })
    const entries = await deps.db.query(sql`
      select severity from audit_log where action = 'server.sync' and at >= ${body.startedAt}`)
    expect(entries).toEqual([{ severity: 'info' }])
  })
})
