import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { verifyChain } from '#audit/verify-chain'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { ciEngines } from '../../../test/databases.ts'
import { givenAdmin } from '../../../test/given.ts'
import {
  arrived,
  arrivedIds,
  fatesOf,
  givenChannel,
  replaceKey,
  replaceKeyAtOnce,
  timesAsked,
  webhookEntries,
  writtenIds,
} from '../../../test/given-channel.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'
import { updateProject } from '../projects/update-project.ts'

describe.each(ciEngines)('notices to channels, on %s', (engine) => {
  const world = worldForTests(engine)
  beforeAll(async () => {
    world.service.deps.deliveries.start()
  })
  afterEach(() => world.sim.clearFaults())

  test.each([
    ['404 with the code of an unknown webhook', { status: 404, code: 10_015 }],
    ['401 with the code of a wrong token', { status: 401, code: 50_027 }],
    ['404', { status: 404 }],
  ])('%s removes the address from the project, with one warning', async (_, fault) => {
    const project = await givenChannel(world)
    world.sim.failFor('webhook', fault, 60_000, { path: project.webhookId })
    await replaceKeyAtOnce(world, project, 3)
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

  test('an address that replaces one during its last attempt stays, and gets the message', async () => {
    const project = await givenChannel(world)
    const other = await givenChannel(world)
    world.sim.failNext('webhook', { status: 404, code: 10_015, delayMs: 600 }, { path: project.webhookId })
    await replaceKey(world, project)
    await expect.poll(() => timesAsked(world, project)).toBe(1)
    await updateProject(world.service.deps, {}, project.id, { webhookUrl: other.webhookUrl })
    await expect.poll(() => arrivedIds(world, other)).toEqual(await writtenIds(world, project))
    expect(await webhookEntries(world, project)).toEqual([])
  })

  test('nothing is posted to an address that cannot be decrypted', async () => {
    const project = await givenChannel(world)
    await world.service.deps.db.execute(
      sql`update projects set webhook_url_sealed = decode(repeat('01', 40), 'hex') where id = ${project.id}`,
    )
    await replaceKey(world, project)
    await expect
      .poll(() => fatesOf(world, project))
      .toMatchObject([{ status: null, error: 'The address cannot be read with this key.', isOver: false }])
    expect(timesAsked(world, project)).toBe(0)
  })

  test('a message that the platform rejects is given up, and the next one is sent', async () => {
    const project = await givenChannel(world)
    world.sim.failNext('webhook', { status: 400, code: 50_035 }, { path: project.webhookId })
    await replaceKey(world, project, 2)
    await expect.poll(() => arrived(world, project).length).toBe(1)
    await expect
      .poll(() => fatesOf(world, project))
      .toMatchObject([
        { isOver: true, status: 400, error: 'Discord returned status 400 50035.' },
        { isOver: false, status: 200 },
      ])
    expect(await webhookEntries(world, project)).toMatchObject([
      { action: 'notification.give-up', severity: 'error' },
    ])
  })

  test('a resend goes to the end of the queue, after the pause that the platform requested', async () => {
    const project = await givenChannel(world)
    await replaceKey(world, project)
    await expect.poll(() => arrived(world, project).length).toBe(1)
    world.sim.failNext('webhook', { status: 429, retryAfterSec: 3_000 }, { path: project.webhookId })
    await replaceKey(world, project)
    await expect.poll(() => fatesOf(world, project)).toMatchObject([{ status: 200 }, { status: 429 }])
    const [first, second] = await writtenIds(world, project)
    const path = `/api/admin/projects/${project.id}/deliveries/${first}/resend`
    const token = await givenAdmin(world)
    expect((await call(world.url, 'POST', path, { token })).status).toBe(202)
    expect(timesAsked(world, project)).toBe(2)
    await later(world.service, 3_001, () =>
      expect.poll(() => arrivedIds(world, project)).toEqual([first, second, first]),
    )
  })

  test('a 429 without Retry-After causes a back-off, not an immediate retry', async () => {
    const project = await givenChannel(world)
    world.sim.failNext('webhook', { status: 429, headerless: true }, { path: project.webhookId, times: 2 })
    await replaceKey(world, project)
    await expect.poll(() => arrived(world, project).length).toBe(1)
    const times = world.sim.journal.entries('webhook').filter(({ path }) => path.includes(project.webhookId))
    const waits = times.slice(1).map(({ at }, i) => at - (times[i]?.at ?? 0))
    expect(waits).toHaveLength(2)
    for (const wait of waits) expect(wait).toBeGreaterThan(450)
  })

  test('a burst of notices stays within the limits of the platform, without a single 429', async () => {
    const project = await givenChannel(world)
    world.sim.rateLimits.setLimit('webhook', { limit: 5, perMs: 700 })
    await replaceKey(world, project, 12)
    await expect.poll(() => arrived(world, project).length).toBe(12)
    world.sim.rateLimits.clear()
    expect(arrivedIds(world, project)).toEqual(await writtenIds(world, project))
    // The response to the last message of a window contains the start of the next one.
    expect(timesAsked(world, project)).toBe(12)
  })

  test('a global limit pauses this instance for every project', async () => {
    const [first, second] = [await givenChannel(world), await givenChannel(world)]
    world.sim.failNext('webhook', { status: 429, global: true, retryAfterSec: 2 }, { path: first.webhookId })
    const begun = performance.now()
    await replaceKey(world, first)
    // The simulator counts a post before the service has read the response.
    await expect.poll(() => fatesOf(world, first)).toMatchObject([{ attempts: 1, status: 429 }])
    await replaceKey(world, second)
    await expect.poll(() => arrived(world, second).length).toBe(1)
    expect(performance.now() - begun).toBeGreaterThan(1_900)
    await expect.poll(() => arrived(world, first).length).toBe(1)
  })
})
