import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
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
import { startWorld, type World } from '../../../test/service.ts'
import { uuidv7 } from '../../platform/crypto/uuid.ts'
import { claimQueues, releaseQueue, settleDelivered, settleLater, takeNext } from './queue-store.ts'

const leaseSec = 15
const posted = { status: 200, error: null }

describe.each(mainEngines)('claims on %s', (engine) => {
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
