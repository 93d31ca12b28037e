import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import { countRows, givenAdmin, givenProject } from '../../../test/given.ts'
import {
  arrivedIds,
  type GivenChannel,
  givenChannel,
  replaceKey,
  timesAsked,
  webhookEntries,
  writtenIds,
} from '../../../test/given-channel.ts'
import { defaultRetention } from '../../../test/retention.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { sql } from '../../platform/db/sql.ts'
import { deleteExpired } from '../housekeeping/store.ts'
import { deleteProject, updateProject } from '../projects/update-project.ts'

const unknown = '01900000-0000-7000-8000-000000000000'

describe.each(mainEngines)('the delivery log on %s', (engine) => {
  let world: World
  let token: string
  beforeAll(async () => {
    world = await startWorld(engine)
    token = await givenAdmin(world)
    world.service.deps.notifications.start()
  })
  afterEach(() => world.sim.clearFaults())
  afterAll(() => world.close())

  const list = (projectId: string, query = '') =>
    call(world.url, 'GET', `/api/admin/projects/${projectId}/deliveries${query}`, { token })
  const resend = (projectId: string, id = '') =>
    call(world.url, 'POST', `/api/admin/projects/${projectId}/deliveries/${id}/resend`, { token })
  const statuses = async (projectId: string) =>
    (await list(projectId)).body.data.map(({ status }: { status: string }) => status)
  /** A project with one of each: failed, delivered and pending, the newest last. */
  const givenOneOfEach = async (): Promise<GivenChannel> => {
    const project = await givenChannel(world)
    const path = project.webhookId
    world.sim.failNext('webhook', { status: 400, code: 50_035 }, { path })
    await replaceKey(world, project, 2)
    await expect.poll(() => statuses(project.id)).toEqual(['delivered', 'failed'])
    world.sim.failNext('webhook', { status: 429, retryAfterSec: 3_000 }, { path })
    await replaceKey(world, project)
    await expect.poll(() => timesAsked(world, project)).toBe(3)
    await expect.poll(async () => (await list(project.id)).body.data[0].attempts).toBe(1)
    return project
  }

  test('tells what became of each notification, newest first', async () => {
    const project = await givenOneOfEach()
    const { status, body } = await list(project.id)
    expect(status).toBe(200)
    expect(body.nextCursor).toBeNull()
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(
      (await writtenIds(world, project)).reverse(),
    )
    const common = {
      projectId: project.id,
      type: 'key.regenerated',
      text: expect.stringContaining('was replaced'),
    }
    expect(body.data).toMatchObject([
      { ...common, status: 'pending', attempts: 1, lastStatus: 429, deliveredAt: null, failedAt: null },
      { ...common, status: 'delivered', attempts: 1, lastStatus: 200, lastError: null, nextAttemptAt: null },
      { ...common, status: 'failed', lastStatus: 400, lastError: 'The chat platform answered 400 50035.' },
    ])
    const [pending] = body.data
    expect(Date.parse(pending.nextAttemptAt) - Date.parse(pending.lastAttemptAt)).toBeGreaterThan(2_999_000)
  })

  test('never shows the address', async () => {
    const project = await givenOneOfEach()
    const { text } = await list(project.id)
    expect(text).not.toContain(project.webhookUrl.split('/').at(-1))
  })

  test.each(['pending', 'delivered', 'failed'])('filters by status: %s', async (status) => {
    const project = await givenOneOfEach()
    const { body } = await list(project.id, `?status=${status}`)
    expect(body.data).toHaveLength(1)
    expect(body.data[0].status).toBe(status)
  })

  test('pages without a gap or a repeat, whatever arrives meanwhile, and shows no other project', async () => {
    const project = await givenChannel(world)
    await replaceKey(world, await givenChannel(world), 2)
    await replaceKey(world, project, 7)
    const written = (await writtenIds(world, project)).reverse()
    const seen: string[] = []
    for (let query = '?limit=3'; ; ) {
      const { body } = await list(project.id, query)
      seen.push(...body.data.map(({ id }: { id: string }) => id))
      if (!body.nextCursor) break
      await replaceKey(world, project)
      query = `?limit=3&cursor=${body.nextCursor}`
    }
    expect(seen).toEqual(written)
  })

  test.each(['?limit=0', '?limit=501', '?status=lost', '?cursor=x', '?other=1'])(
    'refuses %s',
    async (query) => {
      const project = await givenProject(world)
      expect((await list(project.id, query)).status).toBe(400)
    },
  )

  test('404 for a project that is unknown or deleted', async () => {
    const project = await givenChannel(world)
    await replaceKey(world, project)
    const [id] = await writtenIds(world, project)
    await deleteProject(world.service.deps, {}, project.id)
    for (const one of [unknown, project.id]) {
      expect((await list(one)).body.code).toBe('PROJECT_NOT_FOUND')
      expect((await resend(one, id)).body.code).toBe('PROJECT_NOT_FOUND')
    }
  })

  describe('resend', () => {
    test('posts a delivery again, delivered or failed, behind what waits, with one audit entry', async () => {
      const project = await givenOneOfEach()
      const [failed = '', delivered = '', pending = ''] = await writtenIds(world, project)
      for (const id of [failed, delivered]) {
        const reply = await resend(project.id, id)
        expect(reply.status).toBe(202)
        expect(reply.body).toMatchObject({ id, status: 'pending', deliveredAt: null, failedAt: null })
      }
      // The pause that the platform asked for still holds.
      expect(timesAsked(world, project)).toBe(3)
      await later(world.service, 3_001, () =>
        expect.poll(() => arrivedIds(world, project)).toEqual([delivered, pending, failed, delivered]),
      )
      expect(await webhookEntries(world, project)).toMatchObject([
        { action: 'notification.give-up', severity: 'error' },
        { action: 'notification.resend', severity: 'info', summary: expect.stringContaining(failed) },
        { action: 'notification.resend', severity: 'info', summary: expect.stringContaining(delivered) },
      ])
      await expect.poll(() => statuses(project.id)).toEqual(['delivered', 'delivered', 'delivered'])
    })

    test('leaves one that is still pending as it is, without an entry', async () => {
      const project = await givenOneOfEach()
      const pending = (await writtenIds(world, project))[2]
      const before = (await list(project.id)).body.data[0]
      const entries = await countRows(world, 'audit_log')
      const reply = await resend(project.id, pending)
      expect(reply.status).toBe(202)
      expect(reply.body).toEqual(before)
      expect(await countRows(world, 'audit_log')).toBe(entries)
    })

    test('of two at once one is recorded', async () => {
      const project = await givenOneOfEach()
      const [failed = ''] = await writtenIds(world, project)
      const entries = await countRows(world, 'audit_log')
      await Promise.all([resend(project.id, failed), resend(project.id, failed)])
      expect(await countRows(world, 'audit_log')).toBe(entries + 1)
    })

    test('goes to the address of now, and has a day of its own', async () => {
      const project = await givenChannel(world)
      const other = await givenChannel(world)
      world.sim.failNext('webhook', { status: 404, code: 10_015 }, { path: project.webhookId })
      await replaceKey(world, project)
      await expect.poll(() => statuses(project.id)).toEqual(['failed'])
      const [id] = await writtenIds(world, project)
      expect((await resend(project.id, id)).body.code).toBe('WEBHOOK_URL_MISSING')
      await updateProject(world.service.deps, {}, project.id, { webhookUrl: other.webhookUrl })
      await world.service.deps.db.execute(
        sql`update notifications set queued_at = clock_now() - interval '3 days' where id = ${id}`,
      )
      world.sim.failNext('webhook', { status: 500 }, { path: other.webhookId })
      expect((await resend(project.id, id)).status).toBe(202)
      await expect.poll(() => arrivedIds(world, other)).toEqual([id])
    })

    test('404 for a delivery that is unknown or another project’s', async () => {
      const [project, other] = [await givenChannel(world), await givenChannel(world)]
      await replaceKey(world, other)
      const [id] = await writtenIds(world, other)
      for (const one of [unknown, id]) {
        expect((await resend(project.id, one)).body.code).toBe('DELIVERY_NOT_FOUND')
      }
    })
  })

  test('the log is kept for 30 days; what still waits is kept', async () => {
    const project = await givenOneOfEach()
    const { db } = world.service.deps
    const age = (days: number) =>
      db.execute(sql`
        update notifications set created_at = clock_now() - make_interval(days => ${days})
        where project_id = ${project.id}`)
    await age(29)
    await deleteExpired(db, defaultRetention)
    expect(await writtenIds(world, project)).toHaveLength(3)
    await age(31)
    await deleteExpired(db, defaultRetention)
    expect(await statuses(project.id)).toEqual(['pending'])
  })
})
