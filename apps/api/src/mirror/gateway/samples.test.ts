import { demo } from '@rolecall/chat-sim'
import type { memberLists } from '@rolecall/contract'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { givenAdmin } from '../../../test/given.ts'
import {
  memberEntries,
  startLiveMirror,
  until,
  untilHandedOver,
  untilLive,
  untilTrue,
} from '../../../test/live-mirror.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { removeRole } from '../write-servers.ts'
import type { LiveMirror } from './status.ts'

const club = demo.mainGuildId
const { ada, tomas, rosa } = demo.users

describe.each(mainEngines)('a change that the platform never told, on %s', (engine) => {
  let world: World
  let mirror: LiveMirror | undefined
  beforeEach(async () => {
    world = await startWorld(engine, { PERMISSION_TTL_MS: '3600000' })
  })
  afterEach(async () => {
    await mirror?.close()
    mirror = undefined
    await world.close()
  })
  /** Makes a change without an event and without a gap in the sequence. */
  const changeUntold = async (change: () => void) => {
    await mirror?.close()
    mirror = undefined
    const seq = world.sim.gateway.state().sessions[0]?.seq
    world.sim.gateway.loseDispatches(1)
    change()
    expect(world.sim.gateway.state().sessions[0]?.seq).toBe(seq)
  }
  /** Makes Ada and some others long unconfirmed; no other member is due. */
  const ageSome = () =>
    world.service.deps.db.execute(sql`
      update memberships set synced_at = clock_now() - interval '1 hour'
      where member_id = ${ada} or member_id in (
        select member_id from memberships where server_id = ${club} order by member_id limit 20)`)

  test('is found by a sample, and the server is read anew', async () => {
    mirror = startLiveMirror(world.service)
    await untilLive(world)
    await untilHandedOver(world)
    await changeUntold(() => world.sim.world.setRoles(club, ada, [demo.roles.captain]))
    await ageSome()
    const pages = world.sim.journal.count('members')
    mirror = startLiveMirror(world.service, { mirror: { sampleEveryMs: 50 } })
    await until('it is found', () => (mirror?.status().samples.wrong ?? 0) > 0, 30_000)
    await until('it is read anew', () => world.sim.journal.count('members') > pages)
    await untilTrue(world)
    expect(world.service.logs.lines.join('')).toContain('gateway missed a change')
  }, 60_000)

  test('and one that is told late is no reason to read anything anew', async () => {
    mirror = startLiveMirror(world.service, { mirror: { sampleEveryMs: 50 } })
    await untilLive(world)
    await ageSome()
    const pages = world.sim.journal.count('members')
    world.sim.gateway.delayDispatches(300)
    world.sim.world.setRoles(club, ada, [demo.roles.captain])
    await until('some are asked about', () => (mirror?.status().samples.compared ?? 0) > 10, 30_000)
    await untilTrue(world)
    expect(mirror.status().samples.wrong).toBe(0)
    expect(world.sim.journal.count('members')).toBe(pages)
  }, 60_000)

  test('and neither is a deleted role that its holders are about to lose', async () => {
    const { db } = world.service.deps
    const { crew } = demo.roles
    world.sim.world.setRoles(club, ada, [crew])
    mirror = startLiveMirror(world.service, { mirror: { sampleEveryMs: 50 } })
    await untilLive(world)
    world.sim.gateway.loseDispatches(1)
    world.sim.world.deleteRole(club, crew)
    await db.transaction((tx) => removeRole(tx, club, crew))
    await ageSome()
    const isConfirmed = async () =>
      (await db.query(sql`select from memberships where member_id = ${ada} and role_ids = '{}'`)).length > 0
    await until('Ada is asked about', isConfirmed, 30_000)
    expect(mirror.status().samples.wrong).toBe(0)
  }, 60_000)

  test('and members who have left are not compared', async () => {
    const { db } = world.service.deps
    world.sim.world.removeMember(club, tomas)
    await db.execute(sql`
      insert into members (id, username) values (${tomas}, 'tomas') on conflict do nothing`)
    await db.execute(sql`
      insert into memberships (server_id, member_id, left_at) values (${club}, ${tomas}, clock_now())
      on conflict (server_id, member_id) do update set left_at = clock_now()`)
    mirror = startLiveMirror(world.service, { mirror: { sampleEveryMs: 50 } })
    await untilLive(world)
    await ageSome()
    // The oldest confirmation comes first.
    await db.execute(sql`
      update memberships set synced_at = clock_now() - interval '2 hours' where member_id = ${tomas}`)
    await until('some are asked about', () => (mirror?.status().samples.compared ?? 0) > 10, 30_000)
    expect(mirror.status().samples.wrong).toBe(0)
    expect(world.sim.journal.entries('member').filter(({ path }) => path.includes(tomas))).toEqual([])
  }, 60_000)

  test('is put right when an admin has the member read again', async () => {
    const token = await givenAdmin(world)
    mirror = startLiveMirror(world.service)
    await untilLive(world)
    const refresh = (id: string) =>
      call<memberLists.MemberServers>(world.url, 'POST', `/api/admin/members/${id}/refresh`, { token })
    world.sim.gateway.loseDispatches(2)
    world.sim.world.setRoles(club, rosa, [demo.roles.captain])
    world.sim.world.removeMember(club, tomas)
    const { status, body } = await refresh(rosa)
    expect(status).toBe(200)
    expect(body.servers.find(({ serverId }) => serverId === club)?.roles.map(({ id }) => id)).toEqual([
      demo.roles.captain,
    ])
    const gone = await refresh(tomas)
    expect([gone.status, gone.body.servers]).toEqual([200, []])
    expect(await memberEntries(world, tomas)).toEqual(['member.leave', 'member.refresh'])
    expect((await refresh('146000000000000009')).status).toBe(404)
  })

  test('is not put right by asking without end', async () => {
    const token = await givenAdmin(world)
    const path = `/api/admin/members/${rosa}/refresh`
    const replies = await Promise.all(
      Array.from({ length: 31 }, () => call(world.url, 'POST', path, { token })),
    )
    const refused = replies.filter(({ status }) => status !== 200)
    expect(refused.map(({ status, body }) => [status, body.code])).toContainEqual([429, 'RATE_LIMITED'])
  })

  test('says so when the platform does not answer', async () => {
    const token = await givenAdmin(world)
    world.sim.failFor('member', { status: 503 }, 60_000, { path: rosa })
    const { status, body } = await call(world.url, 'POST', `/api/admin/members/${rosa}/refresh`, { token })
    expect([status, body.code]).toEqual([503, 'CHAT_PLATFORM_UNAVAILABLE'])
  })
})
