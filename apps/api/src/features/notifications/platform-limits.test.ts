import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import {
  arrived,
  arrivedIds,
  fatesOf,
  givenChannel,
  replaceKey,
  timesAsked,
  writtenIds,
} from '../../../test/given-channel.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { sql } from '../../platform/db/sql.ts'

describe.each(mainEngines)('the limits of the platform on %s', (engine) => {
  let world: World
  beforeAll(async () => {
    world = await startWorld(engine)
    world.service.deps.notifications.start()
  })
  afterEach(() => world.sim.clearFaults())
  afterAll(() => world.close())

  const pauseOf = async ({ id }: { id: string }) =>
    (
      await world.service.deps.db.maybeOne<{ seconds: number }>(sql`
        select extract(epoch from next_attempt_at - clock_now())::float8 as seconds
        from notification_queues where project_id = ${id}`)
    )?.seconds ?? Number.NaN

  test('a 429 is obeyed for as long as it says, in the header or in the body', async () => {
    const [long, short] = [await givenChannel(world), await givenChannel(world)]
    world.sim.failNext('webhook', { status: 429, retryAfterSec: 3_000.5 }, { path: long.webhookId })
    await replaceKey(world, long)
    await expect.poll(() => fatesOf(world, long)).toMatchObject([{ attempts: 1, status: 429 }])
    expect(await pauseOf(long)).toBeGreaterThan(2_990)
    // Nobody else waits for it.
    await replaceKey(world, short)
    await expect.poll(() => arrived(world, short).length).toBe(1)
    expect(timesAsked(world, long)).toBe(1)
    await later(world.service, 3_002, () => expect.poll(() => arrived(world, long).length).toBe(1))
  })

  test('a 429 that does not say for how long is answered by backing off, not by asking at once', async () => {
    const project = await givenChannel(world)
    world.sim.failNext('webhook', { status: 429, headerless: true }, { path: project.webhookId, times: 2 })
    await replaceKey(world, project)
    await expect.poll(() => arrived(world, project).length).toBe(1)
    const times = world.sim.journal.entries('webhook').filter(({ path }) => path.includes(project.webhookId))
    const waits = times.slice(1).map(({ at }, i) => at - (times[i]?.at ?? 0))
    expect(waits).toHaveLength(2)
    for (const wait of waits) expect(wait).toBeGreaterThan(450)
  })

  test('a storm: the limits of the platform are kept without a single refusal too many', async () => {
    const project = await givenChannel(world)
    world.sim.rateLimits.setLimit('webhook', { limit: 5, perMs: 700 })
    await replaceKey(world, project, 12)
    await expect.poll(() => arrived(world, project).length).toBe(12)
    world.sim.rateLimits.clear()
    expect(arrivedIds(world, project)).toEqual(await writtenIds(world, project))
    // The answer to the last message of a window says when the next one begins.
    expect(timesAsked(world, project)).toBe(12)
  })

  test('a block of all of us silences this instance, for every project', async () => {
    const [first, second] = [await givenChannel(world), await givenChannel(world)]
    world.sim.failNext('webhook', { status: 429, global: true, retryAfterSec: 2 }, { path: first.webhookId })
    const begun = performance.now()
    await replaceKey(world, first)
    // The simulator counts a post before our side has read its answer.
    await expect.poll(() => fatesOf(world, first)).toMatchObject([{ attempts: 1, status: 429 }])
    await replaceKey(world, second)
    await expect.poll(() => arrived(world, second).length).toBe(1)
    expect(performance.now() - begun).toBeGreaterThan(1_900)
    await expect.poll(() => arrived(world, first).length).toBe(1)
  })
})
