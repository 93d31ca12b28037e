import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { verifyChain } from '#audit/verify-chain'
import { engines } from '../../../test/databases.ts'
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
import { startWorld, type World } from '../../../test/service.ts'
import { sql } from '../../platform/db/sql.ts'
import { updateProject } from '../projects/update-project.ts'

describe.each(engines)('addresses on %s', (engine) => {
  let world: World
  beforeAll(async () => {
    world = await startWorld(engine)
    world.service.deps.notifications.start()
  })
  afterEach(() => world.sim.clearFaults())
  afterAll(() => world.close())

  test.each([
    ['404 with the code of an unknown webhook', { status: 404, code: 10_015 }],
    ['401 with the code of a wrong token', { status: 401, code: 50_027 }],
    ['404', { status: 404 }],
  ])('%s takes the address off the project, with one warning', async (_, fault) => {
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
    await replaceKeyAtOnce(world, project, 3)
    await expect.poll(() => timesAsked(world, project)).toBe(1)
    await updateProject(world.service.deps, {}, project.id, { webhookUrl: null })
    await expect.poll(() => fatesOf(world, project)).toMatchObject(Array(3).fill({ isOver: true }))
    expect(timesAsked(world, project)).toBe(1)
    expect(await webhookEntries(world, project)).toEqual([])
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
})
