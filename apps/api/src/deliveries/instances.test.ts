import { setTimeout as sleep } from 'node:timers/promises'
import { demo } from '@rolecall/chat-sim'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../test/client.ts'
import { later } from '../../test/clock.ts'
import { createDatabase, engines, mainEngines } from '../../test/databases.ts'
import { givenTarget, type Target } from '../../test/delivery-targets.ts'
import { writeEvent } from '../../test/event-receiver.ts'
import { givenAdmin } from '../../test/given.ts'
import { startInstance } from '../../test/instance.ts'
import { startPostgres } from '../../test/postgres.ts'
import { startWorld, type World } from '../../test/service.ts'
import { uuidv7 } from '../platform/crypto/uuid.ts'
import { migrate } from '../platform/db/migrate.ts'
import { openDatabase } from '../platform/db/open-database.ts'
import { sql } from '../platform/db/sql.ts'
import { claimReceivers, findClaim, type ReceiverClaim, releaseClaim, renewClaim } from './claim-store.ts'
import type { Attempt, DeliveryKind, KindName } from './kind.ts'
import { recordFailedAttempt, recordFinalAttempt } from './queue-store.ts'
import { sendMessages } from './send-messages.ts'

const kinds: readonly KindName[] = ['event', 'notice', 'logout']
const leaseSec = 15

let world: World
const open: Target[] = []
const given = async (kind: KindName) => {
  const target = await givenTarget[kind](world)
  open.push(target)
  return target
}
const givenEach = () => Promise.all(kinds.map(given))
afterEach(async () => {
  await world.close()
  for (const target of open.splice(0)) await target.close()
})
const inOrder = ({ kind }: Target, names: readonly string[]) => (kind === 'logout' ? names.toSorted() : names)
const attemptsOf = async ({ id }: Target) =>
  (
    await world.service.deps.db.query<{ attempts: number }>(
      sql`select attempts from deliveries where project_id = ${id} order by xid, place`,
    )
  ).map(({ attempts }) => attempts)

describe.each(engines)('claims on %s', (engine) => {
  beforeEach(async () => {
    world = await startWorld(engine)
  })
  const claim = async (lanes = { prompt: 10, troubled: 0 }): Promise<ReceiverClaim | undefined> => {
    const name = uuidv7()
    const [found] = await claimReceivers(world.service.deps.db, { claim: name, kinds, ...lanes })
    return found && { kind: found.kind, projectId: found.projectId, claim: name }
  }

  test('only one of many concurrent claims gets a receiver, until it is released', async () => {
    await (await given('logout')).queue()
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim()))
    const [held, ...others] = claims.filter((one) => one !== undefined)
    expect(others).toEqual([])
    if (held) await releaseClaim(world.service.deps.db, held, false)
    expect(await claim()).toBeDefined()
  })

  test('a claim expires, and its former holder changes nothing afterward', async () => {
    const { db } = world.service.deps
    await (await given('notice')).queue()
    const dead = await claim()
    if (!dead) throw new Error('not claimed')
    await later(world.service, leaseSec - 1, async () => expect(await claim()).toBeUndefined())
    const next = await later(world.service, leaseSec + 1, () => claim())
    expect(next).toBeDefined()
    // The former holder was only slow, and continues.
    expect([await findClaim(db, dead), await renewClaim(db, dead)]).toEqual([undefined, undefined])
    expect(await releaseClaim(db, dead, false)).toBe(0)
    const message = await db.maybeOne<{ id: string }>(sql`select id from deliveries`)
    const id = message?.id ?? ''
    const failed = { outcome: 'failed', status: 500, error: 'late' } as const
    await db.transaction((tx) =>
      recordFailedAttempt(tx, dead, id, failed, { messageMs: 1_000, receiverMs: 60_000 }),
    )
    expect(await db.query(sql`select failures, claim from receivers`)).toEqual([
      { failures: 0, claim: next?.claim },
    ])
    // The former holder did send the message, so no other instance may send it again.
    const sent = { outcome: 'delivered', status: 204, error: null } as const
    await recordFinalAttempt(db, dead, id, sent, { isSlow: false, pauseMs: 0 })
    expect(await db.query(sql`select from deliveries where delivered_at is null`)).toEqual([])
  })

  test('receivers that failed or were slow are claimed apart from the others', async () => {
    const { db } = world.service.deps
    await (await given('event')).queue()
    await claim()
    for (const trouble of [sql`failures = 1, is_slow = false`, sql`failures = 0, is_slow = true`]) {
      await db.execute(sql`update receivers set claimed_until = null, ${trouble}`)
      expect(await claim({ prompt: 10, troubled: 0 })).toBeUndefined()
      expect(await claim({ prompt: 0, troubled: 10 })).toBeDefined()
    }
  })
})

describe.each(mainEngines)('sending on %s', (engine) => {
  beforeEach(async () => {
    world = await startWorld(engine)
  })

  test.each(kinds)('%s: receivers that hang delay no other receiver', async (kind) => {
    const hanging: Target[] = []
    for (let i = 0; i < 40; i++) hanging.push(await given(kind))
    for (const target of hanging) {
      target.fail('hang')
      await target.queue()
    }
    world.service.deps.deliveries.start()
    await expect.poll(() => hanging.filter((one) => one.asked() > 0).length).toBeGreaterThan(20)
    const calm = await given(kind)
    const begun = performance.now()
    await calm.queue(3)
    await expect.poll(() => calm.taken().length, { interval: 10 }).toBe(3)
    // A hanging receiver takes at least five seconds.
    expect(performance.now() - begun).toBeLessThan(4_000)
  })

  test.each(kinds)(
    '%s: a graceful shutdown sends due messages, aborts hanging requests, and keeps the rest queued',
    async (kind) => {
      const { deliveries } = world.service.deps
      const [hanging, calm] = [await given(kind), await given(kind)]
      hanging.fail('hang')
      await hanging.queue(kind === 'logout' ? 1 : 2)
      deliveries.start()
      await expect.poll(() => hanging.asked()).toBe(1)
      await calm.queue(3)
      const begun = performance.now()
      await deliveries.close()
      expect(performance.now() - begun).toBeLessThan(5_000)
      expect(calm.taken()).toHaveLength(3)
      expect(await attemptsOf(hanging)).toEqual(kind === 'logout' ? [0] : [0, 0])
      const held = await world.service.deps.db.query(sql`select from receivers where claim is not null`)
      expect(held).toEqual([])
    },
  )
})

describe.each(mainEngines)('while a message hangs on %s', (engine) => {
  beforeEach(async () => {
    world = await startWorld(engine)
    world.service.deps.deliveries.start()
  })

  test.each(['event', 'logout'] as const)('%s: others to the same receiver are sent', async (kind) => {
    const target = await given(kind)
    const next = () => (kind === 'logout' ? target.queue() : writeEvent(world, target, demo.users.joon, 7))
    target.fail('hang', 1)
    await target.queue()
    await expect.poll(() => target.asked()).toBe(1)
    await next()
    // The first request hangs for ten seconds.
    await expect.poll(() => target.taken().length, { timeout: 4_000 }).toBe(1)
    if (kind === 'event') return
    target.fail({ status: 500 }, 1)
    await next()
    await expect.poll(() => target.taken().length, { timeout: 4_000 }).toBe(2)
    await sleep(3_000)
    await next()
    await expect.poll(() => target.taken().length, { timeout: 2_000 }).toBe(3)
    expect(target.asked()).toBe(5)
  })

  test.each([...kinds, 'deleted'] as const)(
    '%s: nothing more is sent to an address that was removed in the meantime',
    async (what) => {
      const target = await given(what === 'deleted' ? 'notice' : what)
      target.fail('hang')
      await target.queue(12)
      await expect.poll(() => target.asked()).toBe(target.kind === 'logout' ? 4 : 1)
      const token = what === 'deleted' ? await givenAdmin(world) : undefined
      if (token) await call(world.url, 'DELETE', `/api/admin/projects/${target.id}`, { token })
      else await target.moveTo(undefined)
      const asked = target.asked()
      const waiting = sql`select from deliveries where delivered_at is null and failed_at is null`
      await expect.poll(() => world.service.deps.db.query(waiting), { timeout: 20_000 }).toEqual([])
      expect(target.asked()).toBe(asked)
    },
    40_000,
  )
})

describe('two instances', () => {
  beforeEach(async () => {
    world = await startWorld('postgres')
  })

  test('share the work: each message is sent once, in order, including those of a third that sends nothing', async () => {
    const others = [await world.another(), await world.another()]
    for (const { deps } of others) deps.deliveries.start()
    const targets = [...(await givenEach()), ...(await givenEach())]
    await Promise.all(targets.map((target) => target.queue(15)))
    for (const target of targets) {
      await expect.poll(() => target.taken().length).toBe(15)
      expect(inOrder(target, target.taken())).toEqual(inOrder(target, await target.queued()))
      expect(target.asked()).toBe(15)
    }
  })

  test('lose no message when one is killed while sending, and deliver others promptly', async () => {
    const [unheard, unconfirmed, calm] = [await givenEach(), await givenEach(), await givenEach()]
    for (const target of unheard) target.fail('hang', 1)
    for (const target of [...unheard, ...unconfirmed]) await target.queue(3)
    for (const target of unconfirmed) target.fail('hang', 1)
    const instance = await startInstance(world.database.url, world.sim, {
      PUBLIC_URL: 'http://127.0.0.1:3000',
    })
    for (const target of [...unheard, ...unconfirmed])
      await expect.poll(() => target.asked()).toBeGreaterThan(0)
    await instance.kill()

    world.service.deps.deliveries.start()
    for (const target of calm) await target.queue()
    for (const target of calm) await expect.poll(() => target.taken().length).toBe(1)
    await later(world.service, leaseSec + 1, async () => {
      for (const target of [...unheard, ...unconfirmed]) {
        await expect.poll(() => new Set(target.taken()).size).toBe(3)
        if (target.kind !== 'logout') expect(target.taken()).toEqual(await target.queued())
      }
    })
  })

  test('wait for open transactions in their own database, not in another database of the same server', async () => {
    const { deps } = world.service
    const other = await createDatabase('postgres')
    const neighbour = await openDatabase(other.url)
    const [event, notice, logout] = await givenEach()
    if (!event || !notice || !logout) throw new Error('not given')
    deps.deliveries.start()
    await neighbour.transaction(async (tx) => {
      await tx.query(sql`select pg_current_xact_id()`)
      await event.queue()
      await expect.poll(() => event.taken().length).toBe(1)
    })
    await deps.db.transaction(async (tx) => {
      await tx.query(sql`select pg_current_xact_id()`)
      await writeEvent(world, event, demo.users.ada, 1)
      // Only events follow the order of transactions.
      for (const target of [notice, logout]) {
        await target.queue()
        await expect.poll(() => target.taken().length).toBe(1)
      }
      expect(event.taken()).toHaveLength(1)
    })
    await expect.poll(() => event.taken().length).toBe(2)
    await neighbour.close()
    await other.drop()
  })
})

test('a run keeps its claim until its last request has ended, even if it is stopped', async () => {
  world = await startWorld('postgres')
  const { db, audit } = world.service.deps
  const target = await given('event')
  await target.queue()
  const claim = uuidv7()
  const [claimed] = await claimReceivers(db, { claim, kinds, prompt: 1, troubled: 0 })
  if (!claimed) throw new Error('not claimed')
  let respond: ((attempt: Attempt) => void) | undefined
  const send = () =>
    new Promise<Attempt>((resolve) => {
      respond = resolve
    })
  const entryOf = () => {
    throw new Error('no message is given up')
  }
  const kind: DeliveryKind = { name: 'event', ordering: 'member', open: async () => ({ send, entryOf }) }
  const stop = new AbortController()
  const run = sendMessages({ db, audit, count: () => {} }, kind, { claimed, claim, signal: stop.signal })
  await expect.poll(() => respond).toBeDefined()
  stop.abort()
  // A run that did not wait would release the claim within half a second.
  await sleep(1_500)
  const held = { kind: 'event', projectId: target.id, claim } as const
  expect(await findClaim(db, held)).toBeDefined()
  respond?.({ outcome: 'delivered', status: 204, error: null })
  await run
  expect(await findClaim(db, held)).toBeUndefined()
  expect(await attemptsOf(target)).toEqual([1])
})

test('a database that hangs while a message is sent does not cause a duplicate', async () => {
  const postgres = await startPostgres()
  const db = await openDatabase(postgres.url)
  await migrate(db)
  await db.close()
  world = await startWorld('postgres', {}, { url: postgres.url, drop: async () => {} })
  const notice = await given('notice')
  world.service.deps.deliveries.start()
  world.sim.failNext('webhook', { delayMs: 500 }, { path: notice.url.split('/').at(-2) ?? '' })
  await notice.queue()
  await expect.poll(() => notice.asked()).toBe(1)
  postgres.pause()
  await expect.poll(() => notice.taken().length).toBe(1)
  // Exceeds the statement timeout, so recording the attempt has failed by now.
  await sleep(2_500)
  postgres.resume()
  await expect.poll(() => attemptsOf(notice).catch(() => [])).toEqual([1])
  // The next message is sent, and the first one is not sent again.
  const queued = () =>
    notice.queue().then(
      () => true,
      () => false,
    )
  await expect.poll(queued).toBe(true)
  await expect.poll(() => notice.taken().length).toBe(2)
  expect(notice.taken()).toEqual(await notice.queued())
  await world.close()
  await postgres.stop()
})
