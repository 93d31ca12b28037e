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
    // The last one has arrived, and is written down a moment later.
    await expect
      .poll(async () => (await fatesOf(world, project)).map(({ attempts }) => attempts))
      .toEqual([2, 1, 1, 3, 1, 1])
  })

  test('what the platform took, but never confirmed, comes again under the same id', async () => {
    const project = await givenChannel(world)
    world.sim.failNext('webhook', { lost: true }, { path: project.webhookId })
    await replaceKey(world, project)
    await expect.poll(() => arrived(world, project).length).toBe(2)
    const [id] = await writtenIds(world, project)
    expect(arrivedIds(world, project)).toEqual([id, id])
  })

  test('a message that the platform will never take is given up, and the others go on', async () => {
    const project = await givenChannel(world)
    world.sim.failNext('webhook', { status: 400, code: 50_035 }, { path: project.webhookId })
    await replaceKey(world, project, 2)
    await expect.poll(() => arrived(world, project).length).toBe(1)
    await expect
      .poll(() => fatesOf(world, project))
      .toMatchObject([
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

  test('a dozen projects whose webhooks hang do not delay another one', async () => {
    const hanging: GivenChannel[] = []
    for (let i = 0; i < 12; i++) hanging.push(await givenChannel(world))
    for (const { webhookId } of hanging) {
      world.sim.failFor('webhook', { delayMs: 20_000, reset: true }, 60_000, { path: webhookId })
    }
    await Promise.all(hanging.map((one) => replaceKey(world, one)))
    await expect.poll(() => hanging.every((one) => timesAsked(world, one) > 0)).toBe(true)
    const project = await givenChannel(world)
    const begun = performance.now()
    await replaceKey(world, project)
    await expect.poll(() => arrived(world, project).length, { interval: 10 }).toBe(1)
    expect(performance.now() - begun).toBeLessThan(4_000)
    world.sim.clearFaults()
    await later(world.service, 60, () =>
      expect.poll(() => hanging.every((one) => arrived(world, one).length === 1)).toBe(true),
    )
  })

  test('the backlog is told: how many wait, and for how long', async () => {
    const project = await givenChannel(world)
    world.sim.failFor('webhook', { status: 429, retryAfterSec: 3_000 }, 60_000, { path: project.webhookId })
    await replaceKey(world, project, 2)
    await expect.poll(() => timesAsked(world, project)).toBe(1)
    await later(world.service, 100, async () => {
      const { pending, oldestAgeSec } = await notificationBacklog(world.service.deps)
      // What other tests left behind may have gone meanwhile.
      expect(pending).toBeGreaterThanOrEqual(2)
      expect(oldestAgeSec).toBeGreaterThanOrEqual(100)
    })
  })

  test('no line of the log holds an address', () => {
    const { lines } = world.service.logs
    for (const { token } of world.sim.world.webhooks.values()) expect(lines.join('')).not.toContain(token)
  })
})
