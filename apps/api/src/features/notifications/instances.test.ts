import { afterEach, beforeEach, describe, expect, test } from 'vitest'
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
  writtenIds,
} from '../../../test/given-channel.ts'
import { startInstance } from '../../../test/instance.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { uuidv7 } from '../../platform/crypto/uuid.ts'
import { claimQueues, releaseQueue, settleDelivered, settleLater, takeNext } from './queue-store.ts'

const leaseSec = 15
const posted = { status: 200, error: null }

describe.each(engines)('claims on %s', (engine) => {
  let world: World
  let project: GivenChannel
  beforeEach(async () => {
    world = await startWorld(engine)
    project = await givenChannel(world)
    await replaceKey(world, project, 2)
  })
  afterEach(() => world.close())

  const claim = async () => {
    const name = uuidv7()
    const [queue] = await claimQueues(world.service.deps.db, name, 10)
    return queue && { projectId: queue.projectId, claim: name }
  }

  test('of many that want a queue one gets it, until it gives it back', async () => {
    const claims = await Promise.all(Array.from({ length: 20 }, claim))
    const [held, ...others] = claims.filter((one) => one !== undefined)
    expect(others).toEqual([])
    if (held) await releaseQueue(world.service.deps.db, held)
    expect(await claim()).toBeDefined()
  })

  test('a claim of someone who was killed ends by itself, and what was killed can do no harm', async () => {
    const { db } = world.service.deps
    const dead = await claim()
    if (!dead) throw new Error('not claimed')
    await later(world.service, leaseSec - 1, async () => expect(await claim()).toBeUndefined())
    const next = await later(world.service, leaseSec + 1, claim)
    expect(next).toBeDefined()
    // It was only slow, and comes back.
    expect(await takeNext(db, dead)).toBeUndefined()
    expect(await releaseQueue(db, dead)).toBe(0)
    const [id = ''] = await writtenIds(world, project)
    await db.transaction((tx) => settleLater(tx, dead, id, { status: 500, error: 'late' }, 60_000))
    expect(next && (await takeNext(db, next))).toMatchObject({ id, failures: 0 })
    // What it had posted was posted: nobody need post it again.
    await settleDelivered(db, dead, id, posted, 0)
    expect(next && (await takeNext(db, next))?.id).toBe((await writtenIds(world, project))[1])
  })

  test('a dead one blocks a project no longer than its claim, and others not at all', async () => {
    expect(await claim()).toBeDefined()
    const other = await givenChannel(world)
    world.service.deps.notifications.start()
    await replaceKey(world, other)
    await expect.poll(() => arrived(world, other).length).toBe(1)
    expect(arrived(world, project)).toEqual([])
    await later(world.service, leaseSec + 1, () => expect.poll(() => arrived(world, project).length).toBe(2))
    expect(arrivedIds(world, project)).toEqual(await writtenIds(world, project))
  })

  test('an orderly end posts what is due first', async () => {
    const { notifications } = world.service.deps
    world.sim.failNext('webhook', { delayMs: 200, status: 503 }, { path: project.webhookId })
    notifications.start()
    await expect.poll(() => timesAsked(world, project)).toBe(1)
    const other = await givenChannel(world)
    await replaceKey(world, other, 3)
    await notifications.close()
    expect(arrived(world, other)).toHaveLength(3)
    expect(await fatesOf(world, project)).toMatchObject([{ attempts: 1, status: 503 }, { attempts: 0 }])
  })

  test('an orderly end hangs up on a webhook that hangs, and leaves its queue to the next', async () => {
    const { notifications } = world.service.deps
    world.sim.failNext('webhook', { delayMs: 20_000, reset: true }, { path: project.webhookId })
    notifications.start()
    await expect.poll(() => timesAsked(world, project)).toBe(1)
    const begun = performance.now()
    await notifications.close()
    expect(performance.now() - begun).toBeLessThan(5_000)
    expect(await fatesOf(world, project)).toMatchObject([{ attempts: 0 }, { attempts: 0 }])
    expect(await claim()).toBeDefined()
  })
})

describe('two instances', () => {
  let world: World
  beforeEach(async () => {
    world = await startWorld('postgres')
  })
  afterEach(() => world.close())

  test('share the work: each message once, in order, whoever wrote it', async () => {
    const other = await world.another()
    for (const { deps } of [world.service, other]) deps.notifications.start()
    const projects = await Promise.all([1, 2, 3, 4].map(() => givenChannel(world)))
    await Promise.all(
      projects.map(async (project) => {
        for (let i = 0; i < 10; i++)
          await replaceKey({ ...world, service: i % 2 ? other : world.service }, project)
      }),
    )
    for (const project of projects) {
      await expect.poll(() => arrived(world, project).length).toBe(10)
      expect(arrivedIds(world, project)).toEqual(await writtenIds(world, project))
    }
    expect(world.sim.journal.count('webhook')).toBe(40)
  })

  test('what one writes the other posts within a second or so', async () => {
    const other = await world.another()
    other.deps.notifications.start()
    const project = await givenChannel(world)
    const begun = performance.now()
    await replaceKey(world, project)
    await expect.poll(() => arrived(world, project).length, { interval: 20 }).toBe(1)
    expect(performance.now() - begun).toBeLessThan(2_500)
  })

  test('one that is killed while it posts loses nothing and blocks nobody for long', async () => {
    const [unheard, unconfirmed, calm] = [
      await givenChannel(world),
      await givenChannel(world),
      await givenChannel(world),
    ]
    world.sim.failNext('webhook', { delayMs: 4_000, reset: true }, { path: unheard.webhookId })
    world.sim.failNext('webhook', { slowBody: true }, { path: unconfirmed.webhookId })
    const instance = await startInstance(world.database.url, world.sim)
    for (const project of [unheard, unconfirmed]) await replaceKey(world, project, 3)
    await expect.poll(() => timesAsked(world, unheard)).toBe(1)
    await expect.poll(() => arrived(world, unconfirmed).length).toBe(1)
    await instance.kill()

    world.service.deps.notifications.start()
    await replaceKey(world, calm)
    await expect.poll(() => arrived(world, calm).length).toBe(1)
    await later(world.service, leaseSec + 1, async () => {
      await expect.poll(() => arrived(world, unheard).length).toBe(3)
      await expect.poll(() => arrived(world, unconfirmed).length).toBe(4)
    })
    expect(arrivedIds(world, unheard)).toEqual(await writtenIds(world, unheard))
    // It had arrived, but nobody lived to know.
    const ids = await writtenIds(world, unconfirmed)
    expect(arrivedIds(world, unconfirmed)).toEqual([ids[0], ...ids])
  })
})
