import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { later } from '../../../test/clock.ts'
import {
  arrived,
  arrivedIds,
  fatesOf,
  givenChannel,
  replaceKey,
  timesAsked,
  writtenIds,
} from '../../../test/given-channel.ts'
import { startInstance } from '../../../test/instance.ts'
import { startPostgres } from '../../../test/postgres.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { migrate } from '../../platform/db/migrate.ts'
import { openDatabase } from '../../platform/db/open-database.ts'

const leaseSec = 15

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
    await replaceKey(world, project)
    // Without the other's look at what is due nobody would post it, ever.
    await expect.poll(() => arrived(world, project).length).toBe(1)
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

test('a database that hangs while a message is posted does not make it come twice', async () => {
  const postgres = await startPostgres()
  const db = await openDatabase(postgres.url)
  await migrate(db)
  await db.close()
  const world = await startWorld('postgres', {}, { url: postgres.url, drop: async () => {} })
  const project = await givenChannel(world)
  world.service.deps.notifications.start()
  world.sim.failNext('webhook', { delayMs: 500 }, { path: project.webhookId })
  await replaceKey(world, project)
  await expect.poll(() => timesAsked(world, project)).toBe(1)
  postgres.pause()
  await expect.poll(() => arrived(world, project).length).toBe(1)
  // Longer than one statement waits for its answer: writing it down has failed by now.
  await sleep(2_500)
  postgres.resume()
  await expect.poll(() => fatesOf(world, project)).toMatchObject([{ status: 200, isOver: false }])
  // The one behind it is posted next, and nothing before it.
  await expect
    .poll(() =>
      replaceKey(world, project).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
  await expect.poll(() => arrived(world, project).length).toBe(2)
  expect(arrivedIds(world, project)).toEqual(await writtenIds(world, project))
  await world.close()
  await postgres.stop()
})
