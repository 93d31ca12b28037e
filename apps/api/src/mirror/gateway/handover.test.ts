import { demo } from '@rolecall/chat-sim'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { mainEngines } from '../../../test/databases.ts'
import { givenProject, givenSession, validate } from '../../../test/given.ts'
import {
  memberEntries,
  quick,
  startLiveMirror,
  until,
  untilHandedOver,
  untilLive,
  untilTrue,
} from '../../../test/live-mirror.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { createLiveMirror } from './live-mirror.ts'
import type { LiveMirror } from './status.ts'

const club = demo.mainGuildId
const { ada, tomas, rosa } = demo.users

describe.each(mainEngines)('the next leader, on %s', (engine) => {
  let world: World
  let mirror: LiveMirror | undefined
  beforeEach(async () => {
    world = await startWorld(engine)
  })
  afterEach(async () => {
    await mirror?.close()
    await world.close()
  })

  const lead = async (timing: Parameters<typeof startLiveMirror>[1] = {}) => {
    mirror = startLiveMirror(world.service, timing)
    await untilLive(world)
    return mirror
  }
  const stop = async () => {
    await mirror?.close()
    mirror = undefined
  }
  /** The costs of becoming the leader: new sessions, and pages of members. */
  const costs = () => ({
    sessions: world.sim.gateway.sessionStartsLeft(),
    pages: world.sim.journal.count('members'),
  })
  const isHandedOver = async () => {
    const { db } = world.service.deps
    const row = await db.maybeOne<{ servers: string }>(
      sql`select encode(handover, 'escape') as servers from live_mirror where handover is not null`,
    )
    return row !== undefined
  }

  test('that stops while it takes the lead ends, and leaves the lead to another at once', async () => {
    const stopping = startLiveMirror(world.service)
    await stopping.close()
    await lead()
  })

  test('goes on with the session, and is told what happened meanwhile', async () => {
    await lead()
    await untilHandedOver(world)
    const before = costs()
    await stop()
    world.sim.world.setRoles(club, ada, [demo.roles.captain])
    world.sim.world.removeMember(club, tomas)
    await lead()
    await untilTrue(world)
    expect(costs()).toEqual(before)
    expect(await memberEntries(world, tomas)).toEqual(['member.leave'])
  })

  test('takes over all shards, and resumes the session of each', async () => {
    const quay = '1100089314341027841'
    const { db } = world.service.deps
    world.sim.gateway.recommendShards(2)
    world.sim.world.addGuild({ id: quay, name: 'Quay' })
    for (const id of [demo.users.bot, ada]) world.sim.world.addMember(quay, id)
    await db.execute(sql`insert into servers (id, name) values (${quay}, 'Quay')`)
    await lead()
    for (const id of [club, quay]) {
      await untilLive(world, id)
      await untilHandedOver(world, id)
    }
    const before = costs()
    await stop()
    world.sim.world.setRoles(club, ada, [demo.roles.captain])
    world.sim.world.setNick(quay, ada, 'Quartermaster')
    const next = await lead()
    for (const id of [club, quay]) await untilTrue(world, id)
    expect(next.status().gateway).toMatchObject({ state: 'connected', shards: 2 })
    expect(next.status().liveServerIds.toSorted()).toEqual([club, quay].sort())
    expect(costs()).toEqual(before)
  })

  test('hears nothing before the database has told it which servers are ours: what it is told then is written', async () => {
    await lead()
    await untilHandedOver(world)
    await stop()
    const { db } = world.service.deps
    // Only a renewal stores its connection.
    await db.script(`
      create sequence refused;
      create function refuse_renewal() returns trigger language plpgsql as $$ begin
        perform nextval('refused');
        raise exception 'the database is shutting down' using errcode = '57P01';
      end $$;
      create trigger refuse_renewal before update on live_mirror for each row
        when (new.backend_pid is not null) execute function refuse_renewal()`)
    world.sim.world.setRoles(club, ada, [demo.roles.captain])
    mirror = startLiveMirror(world.service)
    await until('several renewals are refused', async () => {
      const row = await db.maybeOne<{ times: string }>(sql`select last_value::text as times from refused`)
      return Number(row?.times) >= 5
    })
    await db.script('drop trigger refuse_renewal on live_mirror')
    await untilLive(world)
    await untilTrue(world)
  })

  test('does not write again what is told again: who came back keeps the session made since', async () => {
    // Renewals follow changes only: the handover is as of the start.
    await lead({ mirror: { renewEveryMs: 3_600_000 } })
    await untilHandedOver(world)
    const before = costs()
    world.sim.world.removeMember(club, rosa)
    world.sim.world.addMember(club, rosa)
    await untilTrue(world)
    await until('it has left', async () => (await memberEntries(world, rosa)).length > 0)
    const project = await givenProject(world)
    const session = await givenSession(world, project, rosa)
    await stop()
    await lead()
    world.sim.world.setRoles(club, rosa, [demo.roles.captain])
    await untilTrue(world)
    expect(costs()).toEqual(before)
    expect(await memberEntries(world, rosa)).toEqual(['member.leave'])
    expect((await validate(world, project, session.token)).status).toBe(200)
  })

  test('writes an event that the last one dropped, although a later one of its server was written', async () => {
    const { db } = world.service.deps
    // The handover is as of the start: no read of the server ends after the event was dropped.
    await lead({ mirror: { renewEveryMs: 3_600_000 } })
    await untilHandedOver(world)
    world.sim.failFor('members', { status: 503 }, 60_000)
    await db.script(`
      create function refuse_member() returns trigger language plpgsql as $$ begin
        raise exception 'refused';
      end $$;
      create trigger refuse_member before update on memberships for each row
        when (new.member_id = '${ada}') execute function refuse_member()`)
    world.sim.world.setRoles(club, ada, [demo.roles.captain])
    await until('it is dropped', () =>
      world.service.logs.lines.join('').includes('gateway events not written'),
    )
    await db.script('drop trigger refuse_member on memberships')
    world.sim.world.setNick(club, rosa, 'Told later')
    await until('a later one is written', async () => {
      const row = await db.maybeOne<{ nick: string | null }>(
        sql`select nick from memberships where server_id = ${club} and member_id = ${rosa}`,
      )
      return row?.nick === 'Told later'
    })
    await stop()
    // The next leader reads no list: only the repeated event can restore the change.
    mirror = startLiveMirror(world.service)
    await untilTrue(world)
  })

  test('reads all anew when the platform has forgotten the session', async () => {
    await lead()
    await untilHandedOver(world)
    const before = costs()
    await stop()
    world.sim.gateway.forgetSessions()
    world.sim.world.removeMember(club, tomas)
    await lead()
    await untilTrue(world)
    expect(costs().sessions).toBe(before.sessions - 1)
    expect(costs().pages).toBeGreaterThan(before.pages)
  })

  test('reads a server anew that was not complete', async () => {
    world.sim.failFor('members', { status: 503 }, 60_000)
    mirror = startLiveMirror(world.service)
    await until('it is handed over', isHandedOver)
    await stop()
    world.sim.clearFaults()
    const left = costs().sessions
    await lead()
    await untilTrue(world)
    expect(costs().sessions).toBe(left)
  })

  test.each<[string, string | undefined]>([
    ['there is no key', undefined],
    ['the key is another one', 'e'.repeat(64)],
  ])('reads all anew when %s', async (_, handoverKey) => {
    await lead()
    await until('it is handed over', isHandedOver)
    const before = costs()
    await stop()
    const { deps } = world.service
    mirror = createLiveMirror(deps, { ...quick, handoverKey })
    mirror.start()
    await untilLive(world)
    expect(costs().sessions).toBe(before.sessions - 1)
  })

  test('waits for its turn to begin a session, as if it were the last one', async () => {
    const timing = { gateway: { identifyEveryMs: 2_000 } }
    await lead(timing)
    const begunAt = await begun()
    await stop()
    world.sim.gateway.forgetSessions()
    await lead(timing)
    expect((await begun()) - begunAt).toBeGreaterThanOrEqual(2_000)
  })
  const begun = async () => {
    const row = await world.service.deps.db.maybeOne<{ at: Date }>(
      sql`select beginnings_at as at from live_mirror`,
    )
    return row?.at.getTime() ?? 0
  }

  test('keeps the id of the session to itself', async () => {
    await lead()
    await untilHandedOver(world)
    const id = world.sim.gateway.state().sessions[0]?.id ?? ''
    const rows = await world.service.deps.db.query<{ text: string }>(
      sql`select to_jsonb(m)::text || encode(handover, 'escape') as text from live_mirror m
        union all select to_jsonb(g)::text from gateway_servers g`,
    )
    expect(rows.length).toBeGreaterThan(1)
    for (const { text } of rows) expect(text).not.toContain(id)
  })
})
