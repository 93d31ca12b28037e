import { demo } from '@rolecall/chat-sim'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { later } from '../../../../test/clock.ts'
import { createDatabase, engines, mainEngines } from '../../../../test/databases.ts'
import {
  type GivenReceiver,
  givenReceiver,
  type Receiver,
  writeEvent,
} from '../../../../test/event-receiver.ts'
import { startWorld, type World } from '../../../../test/service.ts'
import { uuidv7 } from '../../../platform/crypto/uuid.ts'
import { openDatabase } from '../../../platform/db/open-database.ts'
import { sql } from '../../../platform/db/sql.ts'
import { createProject } from '../../projects/create-project.ts'
import { claimEndpoints, holdEndpoint, releaseEndpoint, settleDelivered, settleLater } from './queue-store.ts'

const members = [demo.users.ada, demo.users.joon, demo.users.yusra, demo.users.mara]
const leaseSec = 30

let world: World
const receivers: Receiver[] = []
afterEach(async () => {
  await world.close()
  for (const receiver of receivers.splice(0)) await receiver.close()
})

const given = async (): Promise<GivenReceiver> => {
  const project = await givenReceiver(world)
  receivers.push(project.receiver)
  return project
}

describe.each(engines)('claims on endpoints on %s', (engine) => {
  beforeEach(async () => {
    world = await startWorld(engine)
  })
  const claim = async (isInTrouble = false) => {
    const name = uuidv7()
    const [found] = await claimEndpoints(world.service.deps.db, name, 10, isInTrouble)
    return found && { projectId: found.projectId, claim: name }
  }

  test('of many that want an endpoint one gets it, until it gives it back', async () => {
    await writeEvent(world, await given(), members[0] ?? '')
    await expect.poll(claim).toBeDefined()
    expect(await Promise.all(Array.from({ length: 10 }, () => claim()))).toEqual(Array(10).fill(undefined))
    await world.service.deps.db.execute(sql`update event_endpoints set claimed_until = clock_now()`)
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim()))
    const [held, ...others] = claims.filter((one) => one !== undefined)
    expect(others).toEqual([])
    if (held) await releaseEndpoint(world.service.deps.db, held, false)
    expect(await claim()).toBeDefined()
  })

  test('a claim of someone who was killed ends by itself, and what was killed can do no harm', async () => {
    const { db } = world.service.deps
    await writeEvent(world, await given(), members[0] ?? '')
    await expect.poll(claim).toBeDefined()
    await db.execute(sql`update event_endpoints set claimed_until = clock_now()`)
    const dead = await claim()
    if (!dead) throw new Error('not claimed')
    await later(world.service, leaseSec - 2, async () => expect(await claim()).toBeUndefined())
    const next = await later(world.service, leaseSec + 1, claim)
    expect(next).toBeDefined()
    // It was only slow, and comes back.
    expect(await holdEndpoint(db, dead)).toBeUndefined()
    expect(await releaseEndpoint(db, dead, false)).toBe(0)
    const failed = { status: 500, error: 'late' }
    const event = await db.maybeOne<{ id: number }>(sql`select event_id as id from event_deliveries`)
    const pauses = { eventMs: 1_000, endpointMs: 60_000 }
    await db.transaction((tx) => settleLater(tx, dead, event?.id ?? 0, failed, pauses))
    expect(next && (await holdEndpoint(db, next))).toMatchObject({ failures: 0 })
    // What it had sent was sent: nobody need send it again.
    await settleDelivered(db, dead, event?.id ?? 0, { status: 204, error: null }, false)
    const waiting = await db.query(sql`select from event_deliveries where delivered_at is null`)
    expect(waiting).toEqual([])
  })

  test('one that fails or is slow is claimed apart from the others', async () => {
    const { db } = world.service.deps
    await writeEvent(world, await given(), members[0] ?? '')
    await expect.poll(claim).toBeDefined()
    const free = sql`claimed_until = null, next_attempt_at = clock_now()`
    await db.execute(sql`update event_endpoints set ${free}, failures = 1`)
    expect(await claim(false)).toBeUndefined()
    expect(await claim(true)).toBeDefined()
    await db.execute(sql`update event_endpoints set ${free}, failures = 0, is_slow = true`)
    expect(await claim(false)).toBeUndefined()
    expect(await claim(true)).toBeDefined()
  })
})

describe.each(mainEngines)('sending on %s', (engine) => {
  beforeEach(async () => {
    world = await startWorld(engine)
  })

  test('a receiver gets no more than four requests at once, each about another member', async () => {
    const { receiver, ...project } = await given()
    receiver.reply = () => ({ afterMs: 100 })
    const many = Array.from({ length: 12 }, (_, i) => `${BigInt(members[0] ?? 0) + BigInt(i)}`)
    for (const member of [...many, ...many]) await writeEvent(world, project, member)
    world.service.deps.eventDeliveries.start()
    await expect.poll(() => receiver.taken.length).toBe(24)
    expect(receiver.load.most).toBe(4)
  })

  test('a receiver that fails is asked for one event at a time', async () => {
    const { receiver, ...project } = await given()
    await world.service.deps.db.execute(sql`update event_endpoints set failures = 3`)
    receiver.reply = () => ({ status: 500, afterMs: 100 })
    for (const member of members) await writeEvent(world, project, member)
    world.service.deps.eventDeliveries.start()
    await expect.poll(() => receiver.received.length).toBeGreaterThan(1)
    expect(receiver.load.most).toBe(1)
  })

  test('receivers that hang, however many, hold up nobody else', async () => {
    const { receiver: hanging } = await given()
    hanging.reply = () => ({ afterMs: 60_000 })
    const { deps } = world.service
    for (let i = 0; i < 40; i++) {
      const { id } = await createProject(deps, {}, { name: `Hangs ${i}`, eventsUrl: hanging.url })
      await writeEvent(world, { id, key: '' }, members[0] ?? '')
    }
    // They have failed before.
    await deps.db.execute(sql`update event_endpoints set failures = 1`)
    const calm = await given()
    deps.eventDeliveries.start()
    await expect.poll(() => hanging.load.now).toBe(8)
    const begun = performance.now()
    for (let i = 0; i < 3; i++) {
      await writeEvent(world, calm, members[0] ?? '', i)
      await expect.poll(() => calm.receiver.taken.length, { interval: 10 }).toBe(i + 1)
    }
    // The others hang for ten seconds.
    expect(performance.now() - begun).toBeLessThan(8_000)
    expect(hanging.load.most).toBe(8)
  })

  test('an orderly stop hangs up on a receiver that hangs, and leaves its events to the next', async () => {
    const { receiver, ...project } = await given()
    receiver.reply = () => ({ afterMs: 60_000 })
    await writeEvent(world, project, members[0] ?? '')
    const { deps } = world.service
    deps.eventDeliveries.start()
    await expect.poll(() => receiver.received.length).toBe(1)
    const begun = performance.now()
    await deps.eventDeliveries.close()
    expect(performance.now() - begun).toBeLessThan(8_000)
    const left = await deps.db.query(sql`
      select d.attempts, e.claim from event_deliveries d join event_endpoints e on e.project_id = d.project_id`)
    expect(left).toEqual([{ attempts: 0, claim: null }])
  })
})

describe('two instances', () => {
  beforeEach(async () => {
    world = await startWorld('postgres')
  })

  test('wait for a transaction under way in their own database, and for none of another of the same server', async () => {
    const { deps } = world.service
    const other = await createDatabase('postgres')
    const neighbour = await openDatabase(other.url)
    const { receiver, ...project } = await given()
    deps.eventDeliveries.start()
    await neighbour.transaction(async (tx) => {
      await tx.query(sql`select pg_current_xact_id()`)
      await writeEvent(world, project, members[0] ?? '', 1)
      await expect.poll(() => receiver.taken.length).toBe(1)
    })
    await deps.db.transaction(async (tx) => {
      await tx.query(sql`select pg_current_xact_id()`)
      await writeEvent(world, project, members[0] ?? '', 2)
      const events = await claimEndpoints(deps.db, uuidv7(), 10, false)
      expect(events).toEqual([])
      expect(receiver.taken).toHaveLength(1)
    })
    await expect.poll(() => receiver.taken.length).toBe(2)
    await neighbour.close()
    await other.drop()
  })

  test('share the work: each event once, those of each member in their order, whoever wrote them', async () => {
    const other = await world.another()
    for (const { deps } of [world.service, other]) deps.eventDeliveries.start()
    const projects = [await given(), await given(), await given()]
    for (let note = 0; note < 15; note++) {
      for (const project of projects) {
        for (const member of members.slice(0, 2)) {
          await writeEvent({ ...world, service: note % 2 ? other : world.service }, project, member, note)
        }
      }
    }
    for (const { receiver } of projects) {
      await expect.poll(() => receiver.taken.length).toBe(30)
      for (const member of members.slice(0, 2)) {
        const notes = receiver.taken
          .filter(({ data }) => data['memberId'] === member)
          .map(({ data }) => data['note'])
        expect(notes).toEqual(Array.from({ length: 15 }, (_, note) => note))
      }
    }
  })
})
