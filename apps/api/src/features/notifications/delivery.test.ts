import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { later } from '../../../test/clock.ts'
import { engines } from '../../../test/databases.ts'
import {
  arrived,
  arrivedIds,
  fatesOf,
  type GivenChannel,
  givenChannel,
  replaceKey,
  timesAsked,
  webhookEntries,
  writtenIds,
} from '../../../test/given-channel.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { sql } from '../../platform/db/sql.ts'
import { verifyChain } from '../audit/verify-chain.ts'
import { updateProject } from '../projects/update-project.ts'
import { notificationBacklog } from './backlog.ts'

const dayAndMoreSec = 25 * 3_600

describe.each(engines)('deliveries on %s', (engine) => {
  let world: World
  beforeAll(async () => {
    world = await startWorld(engine)
    world.service.deps.notifications.start()
  })
  afterEach(() => world.sim.clearFaults())
  afterAll(() => world.close())

  test('order is kept whatever fails in between, and nothing is lost or sent twice', async () => {
    const project = await givenChannel(world)
    const path = project.webhookId
    const { sim } = world
    sim.failNext('webhook', { status: 503 }, { path })
    await replaceKey(world, project, 3)
    await expect.poll(() => arrived(world, project).length).toBe(3)
    sim.failNext('webhook', { reset: true }, { path })
    sim.failNext('webhook', { status: 429, retryAfterSec: 0.2 }, { path })
    await replaceKey(world, project, 3)
    await expect.poll(() => arrived(world, project).length).toBe(6)
    expect(arrivedIds(world, project)).toEqual(await writtenIds(world, project))
    expect((await fatesOf(world, project)).map(({ attempts }) => attempts)).toEqual([2, 1, 1, 3, 1, 1])
  })

  test('what the platform took, but never confirmed, comes again under the same id', async () => {
    const project = await givenChannel(world)
    world.sim.failNext('webhook', { lost: true }, { path: project.webhookId })
    await replaceKey(world, project)
    await expect.poll(() => arrived(world, project).length).toBe(2)
    const [id] = await writtenIds(world, project)
    expect(arrivedIds(world, project)).toEqual([id, id])
  })

  test.each([
    ['404 with the code of an unknown webhook', { status: 404, code: 10_015 }],
    ['401 with the code of a wrong token', { status: 401, code: 50_027 }],
    ['404', { status: 404 }],
  ])('%s takes the address off the project, with one warning', async (_, fault) => {
    const project = await givenChannel(world)
    world.sim.failFor('webhook', { ...fault, delayMs: 300 }, 60_000, { path: project.webhookId })
    await replaceKey(world, project, 3)
    await expect.poll(() => fatesOf(world, project)).toMatchObject(Array(3).fill({ isOver: true }))
    expect(timesAsked(world, project)).toBe(1)
    expect(await webhookEntries(world, project)).toMatchObject([
      { action: 'notification.disable', severity: 'warning' },
    ])
    const [row] = await world.service.deps.db.query(
      sql`select webhook_url_sealed as sealed, webhook_url_host as host from projects where id = ${project.id}`,
    )
    expect(row).toEqual({ sealed: null, host: null })
    expect(await verifyChain(world.service.deps)).not.toHaveProperty('problem')
  })

  test('an address that is set while the old one is found gone stays, and gets the message', async () => {
    const project = await givenChannel(world)
    const other = await givenChannel(world)
    world.sim.failNext('webhook', { status: 404, code: 10_015, delayMs: 600 }, { path: project.webhookId })
    await replaceKey(world, project)
    await expect.poll(() => timesAsked(world, project)).toBe(1)
    await updateProject(world.service.deps, {}, project.id, { webhookUrl: other.webhookUrl })
    await expect.poll(() => arrivedIds(world, other)).toEqual(await writtenIds(world, project))
    expect(await webhookEntries(world, project)).toEqual([])
  })

  test('a new address is tried at once, whatever pause the old one had', async () => {
    const project = await givenChannel(world)
    const other = await givenChannel(world)
    world.sim.failNext('webhook', { status: 429, retryAfterSec: 3_000 }, { path: project.webhookId })
    await replaceKey(world, project)
    await expect.poll(() => fatesOf(world, project)).toMatchObject([{ status: 429 }])
    await updateProject(world.service.deps, {}, project.id, { webhookUrl: other.webhookUrl })
    await expect.poll(() => arrived(world, other).length).toBe(1)
  })

  test('what waits when the address is taken away is over, and nobody is asked', async () => {
    const project = await givenChannel(world)
    world.sim.failNext('webhook', { status: 429, retryAfterSec: 3_000 }, { path: project.webhookId })
    await replaceKey(world, project, 3)
    await expect.poll(() => timesAsked(world, project)).toBe(1)
    await updateProject(world.service.deps, {}, project.id, { webhookUrl: null })
    await expect.poll(() => fatesOf(world, project)).toMatchObject(Array(3).fill({ isOver: true }))
    expect(timesAsked(world, project)).toBe(1)
    expect(await webhookEntries(world, project)).toEqual([])
  })

  test('a message that the platform will never take is given up, and the others go on', async () => {
    const project = await givenChannel(world)
    world.sim.failNext('webhook', { status: 400, code: 50_035 }, { path: project.webhookId })
    await replaceKey(world, project, 2)
    await expect.poll(() => arrived(world, project).length).toBe(1)
    expect(await fatesOf(world, project)).toMatchObject([
      { isOver: true, status: 400, error: 'The chat platform answered 400 50035.' },
      { isOver: false, status: 200 },
    ])
    expect(await webhookEntries(world, project)).toMatchObject([
      { action: 'notification.give-up', severity: 'error' },
    ])
  })

  test('after 24 hours from the first attempt it is given up, with one error; younger ones go on', async () => {
    const project = await givenChannel(world)
    const path = project.webhookId
    world.sim.failFor('webhook', { status: 500 }, 600_000, { path })
    await replaceKey(world, project, 2)
    await expect.poll(() => fatesOf(world, project)).toMatchObject([{ status: 500 }, { attempts: 0 }])
    // An hour before, it is still tried.
    const before = timesAsked(world, project)
    await later(world.service, 23 * 3_600, () =>
      expect.poll(() => timesAsked(world, project)).toBeGreaterThan(before),
    )
    expect(await fatesOf(world, project)).toMatchObject([{ isOver: false }, { isOver: false }])
    await later(world.service, dayAndMoreSec, async () => {
      await replaceKey(world, project)
      await expect
        .poll(() => fatesOf(world, project))
        .toMatchObject([{ isOver: true }, { isOver: true }, { isOver: false }])
      expect(await webhookEntries(world, project)).toMatchObject([
        {
          action: 'notification.give-up',
          severity: 'error',
          summary: expect.stringMatching(/^2 notifications of .* could not be delivered for 24 hours\./),
        },
      ])
    })
    world.sim.clearFaults()
    await later(world.service, dayAndMoreSec + 3_600, () =>
      expect.poll(() => arrived(world, project).length).toBe(1),
    )
  })

  test('an address that cannot be read, or is no longer the platform’s, is asked nothing', async () => {
    const project = await givenChannel(world)
    const { db } = world.service.deps
    await db.execute(
      sql`update projects set webhook_url_sealed = decode(repeat('01', 40), 'hex') where id = ${project.id}`,
    )
    await replaceKey(world, project)
    await expect
      .poll(() => fatesOf(world, project))
      .toMatchObject([{ status: null, error: 'The address cannot be read with this key.', isOver: false }])
    expect(timesAsked(world, project)).toBe(0)
  })

  test('a dozen projects whose webhooks hang do not delay another one', async () => {
    const hanging: GivenChannel[] = []
    for (let i = 0; i < 12; i++) hanging.push(await givenChannel(world))
    for (const { webhookId } of hanging) {
      world.sim.failFor('webhook', { delayMs: 3_000, reset: true }, 60_000, { path: webhookId })
    }
    await Promise.all(hanging.map((one) => replaceKey(world, one)))
    await expect.poll(() => hanging.every((one) => timesAsked(world, one) > 0)).toBe(true)
    const project = await givenChannel(world)
    const begun = performance.now()
    await replaceKey(world, project)
    await expect.poll(() => arrived(world, project).length, { interval: 10 }).toBe(1)
    expect(performance.now() - begun).toBeLessThan(2_000)
    world.sim.clearFaults()
    await later(world.service, 60, () =>
      expect.poll(() => hanging.every((one) => arrived(world, one).length === 1)).toBe(true),
    )
  })

  test('the backlog is told: how many wait, and for how long', async () => {
    await expect.poll(async () => (await notificationBacklog(world.service.deps)).pending).toBeLessThan(2)
    const before = (await notificationBacklog(world.service.deps)).pending
    const project = await givenChannel(world)
    world.sim.failFor('webhook', { status: 429, retryAfterSec: 3_000 }, 60_000, { path: project.webhookId })
    await replaceKey(world, project, 2)
    await expect.poll(() => timesAsked(world, project)).toBe(1)
    await later(world.service, 100, async () => {
      const { pending, oldestAgeSec } = await notificationBacklog(world.service.deps)
      expect(pending).toBe(before + 2)
      expect(oldestAgeSec).toBeGreaterThanOrEqual(100)
    })
  })

  test('no line of the log holds an address', () => {
    const { lines } = world.service.logs
    for (const { token } of world.sim.world.webhooks.values()) expect(lines.join('')).not.toContain(token)
  })
})
