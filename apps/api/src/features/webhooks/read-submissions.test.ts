import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { ciEngines } from '../../../test/databases.ts'
import { givenProject, givenSession } from '../../../test/given.ts'
import { givenWebhook, submit } from '../../../test/given-webhook.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { adminForTests, projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

describe.each(ciEngines)('reading submissions on %s', (engine) => {
  const world = worldForTests(engine)
  const project = projectForTests(world)
  const hook = madeForTests(() =>
    givenWebhook(world, project, { schema: {}, allowedRoleIds: [demo.roles.crew] }),
  )
  const sent: string[] = []
  const admin = adminForTests(world)
  beforeAll(async () => {
    for (let n = 0; n < 7; n++) sent.unshift((await submit(world, project, hook.id, { body: { n } })).body.id)
    // Sends them a day apart; the list has the newest first.
    for (const [age, id] of sent.entries()) {
      await world.service.deps.db.execute(sql`
        update inbound_submissions set received_at = '2026-03-10T12:00:00Z'::timestamptz - make_interval(days => ${age})
        where id = ${id}`)
    }
  })

  const base = () => `/api/admin/projects/${project.id}/inbound-webhooks/${hook.id}/submissions`
  const asAdmin = (query = '') => call(world.url, 'GET', base() + query, admin)
  const ids = (reply: { body: { data: { id: string }[] } }) => reply.body.data.map(({ id }) => id)

  test('newest first, with everything that was submitted', async () => {
    const reply = await asAdmin()
    expect(ids(reply)).toEqual(sent)
    expect(reply.body.data[0]).toEqual({
      id: sent[0],
      receivedAt: '2026-03-10T12:00:00.000Z',
      isSigned: false,
      origin: null,
      payload: { n: 6 },
    })
    expect(reply.body.nextCursor).toBeNull()
  })

  test('in pages that miss and repeat nothing while others arrive', async () => {
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof asAdmin>> = await asAdmin(
        `?limit=3${cursor ? `&cursor=${cursor}` : ''}`,
      )
      seen.push(...ids(page))
      cursor = page.body.nextCursor
      const late = await submit(world, project, hook.id, { body: { late: true } })
      await world.service.deps.db.execute(sql`delete from inbound_submissions where id = ${late.body.id}`)
    } while (cursor)
    expect(seen).toEqual(sent)
  })

  test('by time: a moment, and a date alone as the whole day', async () => {
    expect(ids(await asAdmin('?dateFrom=2026-03-09'))).toEqual(sent.slice(0, 2))
    expect(ids(await asAdmin('?dateTo=2026-03-05'))).toEqual(sent.slice(5))
    expect(ids(await asAdmin('?dateFrom=2026-03-08T12:00:00Z&dateTo=2026-03-08T12:00:00.000Z'))).toEqual([
      sent[2],
    ])
    expect((await asAdmin('?dateFrom=2026-03-09&dateTo=2026-03-08')).status).toBe(400)
    for (const bad of ['?limit=0', '?limit=501', '?cursor=x', '?dateFrom=soon', '?unknown=1']) {
      expect((await asAdmin(bad)).status, bad).toBe(400)
    }
  })

  test('a page stops before it grows beyond what a page may hold, and a file has all', async () => {
    const large = await givenWebhook(world, project, { schema: { type: 'string' } })
    for (let n = 0; n < 6; n++) {
      await submit(world, project, large.id, { body: 'x'.repeat(250 * 1024) })
    }
    const address = `/api/admin/projects/${project.id}/inbound-webhooks/${large.id}/submissions`
    const first = await call(world.url, 'GET', address, admin)
    expect(first.body.data.length).toBeLessThan(6)
    const second = await call(world.url, 'GET', `${address}?cursor=${first.body.nextCursor}`, admin)
    expect(first.body.data.length + second.body.data.length).toBe(6)
    expect(second.body.nextCursor).toBeNull()
    const file = await call(world.url, 'GET', `${address}/export`, admin)
    expect(file.text.trimEnd().split('\r\n')).toHaveLength(1 + 6)
  })

  test('as CSV, with the same filters', async () => {
    const reply = await call(world.url, 'GET', `${base()}/export?dateFrom=2026-03-09`, admin)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(reply.headers.get('content-disposition')).toMatch(
      /^attachment; filename="submissions-hook-\d+-\d{8}\.csv"$/,
    )
    const lines = reply.text.replace('\uFEFF', '').trimEnd().split('\r\n')
    expect(lines).toEqual([
      'id,receivedAt,isSigned,origin,payload',
      `${sent[0]},2026-03-10T12:00:00.000Z,false,,"{""n"":6}"`,
      `${sent[1]},2026-03-09T12:00:00.000Z,false,,"{""n"":5}"`,
    ])
  })

  test('numbers as they were sent: on a page, and as CSV', async () => {
    const exact = await givenWebhook(world, project, { schema: {} })
    await submit(world, project, exact.id, { raw: '\t{"id": 700000000000000001}' })
    const address = `/api/admin/projects/${project.id}/inbound-webhooks/${exact.id}/submissions`
    const page = await call(world.url, 'GET', address, admin)
    expect(page.text).toContain('"payload":\t{"id": 700000000000000001}}')
    const file = await call(world.url, 'GET', `${address}/export`, admin)
    expect(file.text).toContain(',"{""id"": 700000000000000001}"')
  })

  describe('by session', () => {
    const asMember = (token: string, idOrSlug = hook.id, query = '') =>
      call(world.url, 'GET', `/api/inbound-webhooks/${idOrSlug}/submissions${query}`, { token })

    test('members who hold one of the roles read them, by id and by slug', async () => {
      const { token } = await givenSession(world, project, demo.users.ada)
      expect(ids(await asMember(token))).toEqual(sent)
      expect(ids(await asMember(token, hook.slug, '?limit=2'))).toEqual(sent.slice(0, 2))
    })

    test('403 without the role, where no role is allowed, and at once when the role is lost', async () => {
      const { token } = await givenSession(world, project, demo.users.ada)
      const { setRoles } = world.sim.world
      setRoles(demo.mainGuildId, demo.users.ada, [])
      const refused = await later(world.service, 3_600, () => asMember(token))
      expect([refused.status, refused.body.code]).toEqual([403, 'ROLE_REQUIRED'])
      setRoles(demo.mainGuildId, demo.users.ada, [demo.roles.crew])
      expect((await later(world.service, 7_200, () => asMember(token))).status).toBe(200)
      const nobodys = await givenWebhook(world, project)
      expect((await asMember(token, nobodys.id)).status).toBe(403)
    })

    test('404 for a session of another project and for an admin session', async () => {
      const other = await givenProject(world)
      const { token } = await givenSession(world, other, demo.users.ada)
      for (const one of [token, admin.token]) {
        const reply = await asMember(one)
        expect([reply.status, reply.body.code]).toEqual([404, 'WEBHOOK_NOT_FOUND'])
      }
    })
  })
})
