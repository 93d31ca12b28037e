import { demo } from '@rolecall/chat-sim'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../../test/client.ts'
import { engines } from '../../../../test/databases.ts'
import { type GivenProject, givenAdmin } from '../../../../test/given.ts'
import { startLogoutReceiver } from '../../../../test/logout-receiver.ts'
import { claimsOf, givenClient, logIn } from '../../../../test/oidc.ts'
import { startWorld, type World } from '../../../../test/service.ts'
import { sql } from '../../../platform/db/sql.ts'

describe.each(engines)('logouts that a client was told of, on %s', (engine) => {
  let world: World
  let admin: string
  let project: GivenProject
  let receiver: Awaited<ReturnType<typeof startLogoutReceiver>>
  beforeAll(async () => {
    world = await startWorld(engine)
    admin = await givenAdmin(world)
    receiver = await startLogoutReceiver()
  })
  afterEach(() => void receiver.received.splice(0))
  afterAll(async () => {
    await world.close()
    await receiver.close()
  })

  const given = async () => {
    project = await givenClient(world, { oidc: { backchannelLogoutUri: receiver.uri } })
  }
  const ended = async () => {
    const { sid } = claimsOf((await logIn(world, project)).id_token)
    const body = { memberId: demo.users.ada }
    await call(world.url, 'POST', '/api/auth/logout-all', { key: project.key, body })
    return sid
  }
  const path = () => `/api/admin/projects/${project.id}/logout-deliveries`
  const list = async (query = '') => (await call(world.url, 'GET', path() + query, { token: admin })).body
  const resend = (id: string) => call(world.url, 'POST', `${path()}/${id}/resend`, { token: admin })

  test('are listed newest first, page by page and by state, and each is told again with a token of its own', async () => {
    await given()
    const sids = [await ended(), await ended()]
    await expect.poll(async () => (await list('?status=delivered')).data.length).toBe(2)
    const first = await list('?limit=1')
    expect(first.data[0]).toMatchObject({
      projectId: project.id,
      sessionId: sids[1],
      memberId: demo.users.ada,
      uri: receiver.uri,
      status: 'delivered',
      attempts: 1,
      lastStatus: 200,
    })
    const second = await list(`?limit=1&cursor=${first.nextCursor}`)
    expect([second.data[0].sessionId, second.nextCursor]).toEqual([sids[0], null])
    expect((await list('?status=failed')).data).toEqual([])

    const again = await resend(second.data[0].id)
    expect([again.status, again.body.status]).toEqual([202, 'pending'])
    await expect.poll(() => receiver.received.length).toBe(3)
    const told = receiver.received.map(({ token }) => claimsOf(token))
    expect(told.map(({ sid }) => sid)).toEqual([...sids, sids[0]])
    expect(new Set(told.map(({ jti }) => jti)).size).toBe(3)
    const audit = await call(world.url, 'GET', '/api/admin/audit/logs', { token: admin })
    expect(audit.text).toContain(second.data[0].id)
  })

  test('one that was given up has another day, at the address of now, and one that waits is left as it is', async () => {
    await given()
    receiver.answer(503)
    await ended()
    await expect.poll(() => receiver.received.length).toBe(1)
    const [waiting] = (await list('?status=pending')).data
    expect(await resend(waiting.id)).toMatchObject({ status: 202, body: { attempts: 1, status: 'pending' } })
    // As a day later.
    await world.service.deps.db.execute(sql`
      update oidc_logouts set created_at = created_at - interval '2 days', queued_at = queued_at - interval '2 days',
        uri = 'https://gone.example/', failed_at = clock_now() where id = ${waiting.id}`)
    // It would be the last one, were it the old day's.
    receiver.answer(503)
    expect((await resend(waiting.id)).status).toBe(202)
    await expect
      .poll(async () => (await list()).data[0])
      .toMatchObject({ status: 'delivered', uri: receiver.uri })
    expect(receiver.received).toHaveLength(3)
  })

  test('nothing is told again without an address, nor of another project', async () => {
    await given()
    await ended()
    await expect.poll(async () => (await list('?status=delivered')).data.length).toBe(1)
    const [{ id }] = (await list()).data
    const other = await givenClient(world)
    const elsewhere = `/api/admin/projects/${other.id}/logout-deliveries`
    expect((await call(world.url, 'GET', elsewhere, { token: admin })).body.data).toEqual([])
    const foreign = await call(world.url, 'POST', `${elsewhere}/${id}/resend`, { token: admin })
    expect(foreign.body.code).toBe('DELIVERY_NOT_FOUND')
    const off = { oidc: { enabled: false } }
    await call(world.url, 'PATCH', `/api/admin/projects/${project.id}`, { token: admin, body: off })
    expect((await resend(id)).body.code).toBe('LOGOUT_URI_MISSING')
    const none = '/api/admin/projects/00000000-0000-4000-8000-000000000000/logout-deliveries'
    expect((await call(world.url, 'GET', none, { token: admin })).body.code).toBe('PROJECT_NOT_FOUND')
    const asProject = await call(world.url, 'GET', path(), { key: project.key })
    expect(asProject.status).toBe(401)
  })
})
