import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../test/client.ts'
import { later } from '../../test/clock.ts'
import { ciEngines } from '../../test/databases.ts'
import { givenTarget, type Target } from '../../test/delivery-targets.ts'
import { countRows, givenAdmin } from '../../test/given.ts'
import { defaultRetention } from '../../test/retention.ts'
import { startWorld, type World } from '../../test/service.ts'
import { deleteExpired } from '../features/housekeeping/store.ts'
import { sql } from '../platform/db/sql.ts'
import type { KindName } from './kind.ts'

const kinds: readonly KindName[] = ['event', 'notice', 'logout']
/** Expected audit entry of each kind after the receiver has accepted nothing for a day. */
const endings = [
  ['event', 'events.disable', 'accepted nothing for 24 hours'],
  ['notice', 'notification.give-up', '2 notices of'],
  ['logout', 'oidc-logout.give-up', 'A logout token could not'],
] as const
const unknown = '01900000-0000-7000-8000-000000000000'

let world: World
let token: string
const open: Target[] = []
const given = async (kind: KindName) => {
  const target = await givenTarget[kind](world)
  open.push(target)
  return target
}
const closeTargets = async () => {
  for (const target of open.splice(0)) {
    target.heal()
    await target.close()
  }
}
const admin = (method: string, path: string) =>
  call(world.url, method, `/api/admin/projects/${path}`, { token })
const list = async ({ id, log }: Target, query = '') => {
  const reply = await admin('GET', `${id}/${log}${query}`)
  expect(reply.status, reply.text).toBe(200)
  return reply.body
}
const resend = ({ id, log }: Target, delivery: string) => admin('POST', `${id}/${log}/${delivery}/resend`)
const states = async (target: Target) =>
  (await list(target)).data.map(({ status }: { status: string }) => status)
const newest = async (target: Target) => (await list(target)).data[0]
const entriesOf = ({ id }: Target) =>
  world.service.deps.db.query<{ action: string; severity: string; summary: string }>(sql`
    select action, severity, summary from audit_log where target_id = ${id}
      and (action like '%.give-up' or action like '%.resend' or action like '%.disable') order by seq`)
/** Makes queued messages and failures this many hours older, and ends all pauses. */
const age = (target: Target, hours: number) =>
  world.service.deps.db.transaction(async (tx) => {
    await tx.execute(sql`
      update receivers set next_attempt_at = clock_now(),
        failing_since = failing_since - make_interval(hours => ${hours}::int)
      where kind = ${target.kind} and project_id = ${target.id}`)
    await tx.execute(sql`
    update deliveries set queued_at = queued_at - make_interval(hours => ${hours}::int), next_attempt_at = clock_now()
    where kind = ${target.kind} and project_id = ${target.id} and delivered_at is null`)
  })

/**
 * Waits until the result of every request is recorded, so that the test can change rows while no attempt is in
 * progress.
 */
const settled = (target: Target) =>
  expect
    .poll(async () => {
      const row = await world.service.deps.db.maybeOne<{ attempts: number }>(sql`
        select coalesce(sum(attempts), 0)::int as attempts from deliveries
        where kind = ${target.kind} and project_id = ${target.id}`)
      return row?.attempts
    })
    .toBe(target.asked())

describe.each(ciEngines)('deliveries on %s', (engine) => {
  beforeAll(async () => {
    world = await startWorld(engine)
    token = await givenAdmin(world)
    world.service.deps.deliveries.start()
  })
  afterEach(closeTargets)
  afterAll(() => world.close())

  test.each(kinds)('%s: all messages arrive after a failure, in order if the kind has one', async (kind) => {
    const target = await given(kind)
    target.fail({ status: 503 }, 1)
    await target.queue(3)
    await expect.poll(() => target.taken().length).toBe(3)
    const inOrder = (names: readonly string[]) => (kind === 'logout' ? names.toSorted() : names)
    expect(inOrder(target.taken())).toEqual(inOrder(await target.queued()))
    await expect.poll(() => states(target)).toEqual(['delivered', 'delivered', 'delivered'])
  })

  test.each(kinds)('%s: a message that was accepted but not confirmed is sent again', async (kind) => {
    const target = await given(kind)
    target.fail('lost', 1)
    await target.queue()
    await expect.poll(() => target.taken().length).toBe(2)
    expect(new Set(target.taken()).size).toBe(1)
  })

  test.each(kinds)(
    '%s: a failure is followed by a pause, or by the pause that the receiver requests',
    async (kind) => {
      const target = await given(kind)
      const pauseOf = async () => {
        await expect.poll(async () => (await newest(target)).attempts).toBe(1)
        const { nextAttemptAt, lastAttemptAt } = await newest(target)
        return Date.parse(nextAttemptAt) - Date.parse(lastAttemptAt)
      }
      target.fail({ status: 500 }, 1)
      await target.queue()
      // Up to a quarter of the pause is random.
      expect(await pauseOf()).toBeGreaterThanOrEqual(740)
      await expect.poll(() => target.taken().length).toBe(1)
      if (kind === 'logout') return
      target.fail({ status: 429, retryAfterSec: 600 }, 1)
      await target.queue()
      expect(await pauseOf()).toBeGreaterThan(590_000)
      await later(world.service, 601, () => expect.poll(() => target.taken().length).toBe(2))
    },
  )

  test.each([
    ['event', 307, 'The receiver returned status 307; redirects are not followed.'],
    ['notice', 307, 'Discord returned status 307.'],
    ['logout', 307, 'The client returned status 307.'],
    ['logout', 410, 'The client returned status 410.'],
  ] as const)('%s: %i counts as a failure, and redirects are not followed', async (kind, status, error) => {
    const target = await given(kind)
    target.fail({ status }, 1)
    await target.queue()
    await expect.poll(() => target.taken().length).toBe(1)
    expect(target.asked()).toBe(2)
    target.fail({ status })
    await target.queue()
    await expect
      .poll(() => newest(target))
      .toMatchObject({ status: 'pending', lastStatus: status, lastError: error })
  })

  test.each([
    ['event', 410, 'events.disable'],
    ['notice', 404, 'notification.disable'],
  ] as const)('%s: after %i nothing more is sent to the address', async (kind, status, action) => {
    const target = await given(kind)
    target.fail({ status })
    await target.queue(2)
    await expect.poll(() => states(target)).toEqual(['failed', 'failed'])
    expect(target.asked()).toBe(1)
    expect(await entriesOf(target)).toMatchObject([
      {
        action,
        severity: 'warning',
        summary: expect.stringMatching(new RegExp(`returned status ${status}\\.$`)),
      },
    ])
    const [{ id }] = (await list(target)).data
    expect((await resend(target, id)).body.code).toMatch(/_MISSING$/)
  })

  test.each(endings)(
    '%s: messages are given up after 24 hours of failures, not before, with one audit entry',
    async (kind, action, summary) => {
      const target = await given(kind)
      target.fail({ status: 500 })
      const waiting = kind === 'logout' ? ['pending'] : ['pending', 'pending']
      await target.queue(waiting.length)
      await expect.poll(() => target.asked()).toBeGreaterThan(0)
      await settled(target)
      const before = target.asked()
      await age(target, 23)
      await expect.poll(() => target.asked()).toBeGreaterThan(before)
      await settled(target)
      expect(await states(target)).toEqual(waiting)
      await age(target, 1)
      await expect.poll(() => states(target)).toEqual(waiting.map(() => 'failed'))
      expect(await entriesOf(target)).toMatchObject([
        { action, severity: 'error', summary: expect.stringContaining(summary) },
      ])
    },
  )

  test('event: failures before an accepted message do not count for the 24 hours', async () => {
    const target = await given('event')
    target.fail({ status: 500 }, 1)
    await target.queue()
    await expect.poll(() => states(target)).toEqual(['delivered'])
    await age(target, 25)
    target.fail({ status: 500 })
    await target.queue()
    await expect.poll(async () => (await newest(target)).attempts).toBeGreaterThan(0)
    expect(await newest(target)).toMatchObject({ status: 'pending', lastStatus: 500 })
    expect(await entriesOf(target)).toEqual([])
  })

  test('event: failures of the former address do not count for a new one', async () => {
    const [target, other] = [await given('event'), await given('event')]
    target.fail({ status: 429, retryAfterSec: 3_000 })
    await target.queue()
    await expect.poll(async () => (await newest(target)).attempts).toBe(1)
    await world.service.deps.db.execute(sql`
      update receivers set failing_since = failing_since - interval '25 hours' where project_id = ${target.id}`)
    other.fail({ status: 500 })
    await target.moveTo(other)
    await expect.poll(async () => (await newest(target)).attempts).toBeGreaterThan(1)
    expect(await newest(target)).toMatchObject({ status: 'pending', lastStatus: 500 })
    expect(await entriesOf(target)).toEqual([])
  })

  test.each(kinds)('%s: a new address gets queued messages at once; without one they fail', async (kind) => {
    const [target, other] = [await given(kind), await given(kind)]
    target.fail({ status: 429, retryAfterSec: 3_000 })
    await target.queue()
    await expect.poll(() => target.asked()).toBe(1)
    await target.moveTo(other)
    await expect.poll(() => other.taken()).toEqual(await target.queued())
    other.fail({ status: 429, retryAfterSec: 3_000 })
    await target.queue(2)
    await expect.poll(() => other.asked()).toBeGreaterThan(1)
    const asked = other.asked()
    await target.moveTo(undefined)
    await expect.poll(() => states(target)).toEqual(['failed', 'failed', 'delivered'])
    expect(other.asked()).toBeLessThanOrEqual(asked + 1)
    await target.queue()
    expect(await states(target)).toHaveLength(3)
  })

  test.each(kinds)(
    '%s: the log is paged and filtered by state, without addresses or messages of other projects',
    async (kind) => {
      const [target, other] = [await given(kind), await given(kind)]
      await other.queue()
      await target.queue(5)
      await expect.poll(() => states(target)).toEqual(Array(5).fill('delivered'))
      const all: { id: string }[] = (await list(target)).data
      const pages: { id: string }[] = []
      for (let query = '?limit=2&status=delivered'; query; ) {
        const { data, nextCursor } = await list(target, query)
        pages.push(...data)
        // Messages that arrive in the meantime do not appear on later pages.
        if (nextCursor) await target.queue()
        query = nextCursor ? `?limit=2&status=delivered&cursor=${nextCursor}` : ''
      }
      expect(pages).toEqual(all)
      expect((await list(target, '?status=failed')).data).toEqual([])
      if (kind !== 'logout') expect(JSON.stringify(all)).not.toContain(target.secret)
      for (const query of ['?limit=0', '?limit=501', '?status=lost', '?cursor=x', '?other=1'])
        expect((await admin('GET', `${target.id}/${target.log}${query}`)).status).toBe(400)
      expect((await admin('GET', `${unknown}/${target.log}`)).body.code).toBe('PROJECT_NOT_FOUND')
    },
  )

  test.each(kinds)(
    '%s: a resend goes to the current address, retries for another day, and writes one audit entry',
    async (kind) => {
      const [target, other] = [await given(kind), await given(kind)]
      await target.queue()
      await expect.poll(() => states(target)).toEqual(['delivered'])
      const { id } = await newest(target)
      for (const [one, delivery] of [
        [other, id],
        [target, unknown],
      ] as const)
        expect((await resend(one, delivery)).body.code).toBe('DELIVERY_NOT_FOUND')
      expect((await resend({ ...target, id: unknown }, id)).body.code).toBe('PROJECT_NOT_FOUND')
      await target.moveTo(other)
      await world.service.deps.db.execute(sql`
      update deliveries set queued_at = queued_at - interval '3 days' where project_id = ${target.id}`)
      // Without 24 hours of its own, this attempt would be the last one.
      other.fail({ status: 500 }, 1)
      const entries = await countRows(world, 'audit_log')
      const replies = await Promise.all([resend(target, id), resend(target, id)])
      for (const { status, body } of replies)
        expect([status, body]).toMatchObject([
          202,
          { id, status: 'pending', deliveredAt: null, failedAt: null },
        ])
      expect(await countRows(world, 'audit_log')).toBe(entries + 1)
      await expect.poll(() => other.taken()).toEqual(await target.queued())
      await expect.poll(() => states(target)).toEqual(['delivered'])
      expect(await entriesOf(target)).toMatchObject([
        { severity: 'info', summary: expect.stringContaining(id) },
      ])
    },
  )

  test.each(kinds)('%s: a resend does not change a pending message', async (kind) => {
    const target = await given(kind)
    target.fail({ status: 429, retryAfterSec: 3_000 })
    await target.queue()
    await expect.poll(async () => (await newest(target)).attempts).toBeGreaterThan(0)
    target.fail('hang')
    const before = await newest(target)
    const { status, body } = await resend(target, before.id)
    expect([status, body.status, body.createdAt]).toEqual([202, 'pending', before.createdAt])
    expect(await entriesOf(target)).toEqual([])
  })

  test.each([
    ['event', 7],
    ['notice', 30],
    ['logout', 30],
  ] as const)('%s: the log is kept for %i days; pending messages stay', async (kind, days) => {
    const target = await given(kind)
    const { db } = world.service.deps
    await target.queue()
    await expect.poll(() => states(target)).toEqual(['delivered'])
    target.fail({ status: 429, retryAfterSec: 3_000 })
    await target.queue()
    const aged = async (by: number) => {
      await db.execute(sql`
        update deliveries set created_at = clock_now() - make_interval(days => ${by}::int)
        where project_id = ${target.id}`)
      await deleteExpired(db, defaultRetention)
      return states(target)
    }
    expect((await aged(days - 1)).toSorted()).toEqual(['delivered', 'pending'])
    expect(await aged(days + 1)).toEqual(['pending'])
  })

  test('no log line contains the address of a receiver', async () => {
    const secrets: string[] = []
    for (const kind of kinds) {
      const target = await given(kind)
      target.fail('lost', 1)
      await target.queue()
      await expect.poll(() => target.taken().length).toBe(2)
      secrets.push(target.secret)
    }
    const lines = world.service.logs.lines.join('')
    for (const secret of secrets) expect(lines).not.toContain(secret)
  })
})
