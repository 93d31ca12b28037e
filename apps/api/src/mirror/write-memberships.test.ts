import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { call } from '../../test/client.ts'
import { engines } from '../../test/databases.ts'
import { givenSession, validate } from '../../test/given.ts'
import { memberEntries } from '../../test/live-mirror.ts'
import { adminForTests, projectForTests, worldForTests } from '../../test/world-for-tests.ts'

const club = demo.mainGuildId
const { ada, tomas, joon, kenji, rosa, yusra } = demo.users

/**
 * Without a gateway no event reports a departure: only the current members and their times of joining are visible.
 */
describe.each(engines)('who left, or was banned, and came back unseen, on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  const project = projectForTests(world)
  const admin = adminForTests(world)

  const status = async (token: string) => (await validate(world, project, token)).status
  const rejoin = (id: string) => {
    const { roles = [] } = world.sim.world.guilds.get(club)?.members.get(id) ?? {}
    world.sim.world.ban(club, id)
    world.sim.world.unban(club, id)
    world.sim.world.addMember(club, id, { roles })
  }
  const tellsOf = async (id: string) => {
    const rows = await world.service.deps.db.query<{ type: string }>(
      sql`select type from outbox where data ->> 'memberId' = ${id} order by id`,
    )
    return rows.map(({ type }) => type)
  }

  const read = (id: string) => world.service.deps.refreshMember(club, id)
  const sync = async () => {
    const servers = '/api/admin/servers'
    await call(world.url, 'POST', `${servers}/${club}/sync`, admin)
    const isDone = async () => {
      const { body } = await call(world.url, 'GET', servers, admin)
      return body.data.find((one: { id: string }) => one.id === club).lastSync.status
    }
    await expect.poll(isDone, { timeout: 20_000 }).toBe('succeeded')
  }
  test.each([
    ['a read of that one member', ada, read],
    ['a sync', tomas, sync],
    ['another login of theirs', joon, (id: string) => givenSession(world, project, id)],
    [
      'an event',
      rosa,
      async (id: string) => {
        const { chat, mirrorMember } = world.service.deps
        const member = await chat.member(club, id, 'login')
        if (!member) throw new Error('not there')
        await mirrorMember(club, member.user, member, 'now')
      },
    ],
  ])('%s ends the sessions of before, tells the projects, and leaves an entry', async (_, id, find) => {
    const session = await givenSession(world, project, id)
    expect(await status(session.token)).toBe(200)
    rejoin(id)
    await find(id)
    expect(await status(session.token)).toBe(401)
    expect(await tellsOf(id)).toEqual(expect.arrayContaining(['member.left', 'session.revoked']))
    expect(await memberEntries(world, id)).toEqual(['member.leave'])
    const entry = await world.service.deps.db.maybeOne<{ summary: string }>(sql`
      select summary from audit_log where target_id = ${id} and action = 'member.leave'`)
    expect(entry?.summary).toMatch(/ and returned; 1 sessions ended\.$/)
    const again = await givenSession(world, project, id)
    expect(await status(again.token)).toBe(200)
    await read(id)
    expect(await status(again.token)).toBe(200)
  })

  test('an open session of the former membership does not come back with its member', async () => {
    const session = await givenSession(world, project, kenji)
    expect(await status(session.token)).toBe(200)
    const { db, answers } = world.service.deps
    await db.execute(sql`update memberships set left_at = clock_now() where member_id = ${kenji}`)
    await answers.confirm()
    expect(await status(session.token)).toBe(401)
    await read(kenji)
    const membership = await db.maybeOne(sql`
      select left_at, generation from memberships where server_id = ${club} and member_id = ${kenji}`)
    expect(membership).toEqual({ left_at: null, generation: 1 })
    expect(await status(session.token)).toBe(401)
    expect(await status((await givenSession(world, project, kenji)).token)).toBe(200)
  })

  test('an expired session is not among those that are counted as ended', async () => {
    const session = await givenSession(world, project, yusra)
    await world.service.deps.db.execute(sql`
      update sessions set expires_at = clock_now() - interval '1 second' where member_id = ${yusra}`)
    rejoin(yusra)
    await read(yusra)
    expect(await status(session.token)).toBe(401)
    const entry = await world.service.deps.db.maybeOne<{ summary: string }>(sql`
      select summary from audit_log where target_id = ${yusra} and action = 'member.leave'`)
    expect(entry?.summary).toContain('0 sessions ended')
    expect(await tellsOf(yusra)).not.toContain('session.revoked')
  })
})
