import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ask,
  describeWithMembers,
  givenProject,
  givenSession,
  logInAsAdmin,
  type Project,
} from './service.ts'

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Runs only on the machine of the service and outside production, because the service must reach the receiver. */
describeWithMembers('events by webhook', () => {
  const received: Received[] = []
  let status = 204
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    received.push({ headers: request.headers, body })
    response.writeHead(status).end()
  })
  let token: string
  let url: string
  beforeAll(async () => {
    token = await logInAsAdmin()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`
  })
  afterAll(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const admin = (method: string, path: string, body?: unknown) =>
    ask(method, `/api/admin/projects${path}`, { token, ...(body !== undefined && { body }) })
  const logOut = async (project: Project) => {
    const session = await givenSession(project)
    await ask('POST', '/api/auth/logout', { key: project.key, body: { token: session.token } })
  }
  /** Returns the signature of a secret, by the standard. */
  const signature = ({ headers, body }: Received, secret: string) => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    return `v1,${createHmac('sha256', key).update(text).digest('base64')}`
  }
  const last = () => received.at(-1) as Received

  test('arrive signed, under the id that they are listed with, and are sent again when asked', async () => {
    const project = await givenProject(token)
    const set = await admin('PATCH', `/${project.id}`, { eventsUrl: url })
    expect([set.status, set.body.eventsUrl, set.body.eventsDisabledAt]).toEqual([200, url, null])
    const { eventsSecret } = set.body
    expect(eventsSecret).toMatch(/^whsec_/)
    await logOut(project)
    await expect.poll(() => received.length).toBe(1)
    expect(JSON.parse(last().body)).toMatchObject({
      type: 'session.revoked',
      timestamp: expect.stringMatching(/^\d{4}-/),
      data: { memberId: demo.users.ada, reason: 'logout' },
    })
    expect(last().headers['webhook-signature']).toBe(signature(last(), eventsSecret))
    const path = `/${project.id}/event-deliveries`
    await expect.poll(async () => (await admin('GET', path)).body.data[0].status).toBe('delivered')
    const [row] = (await admin('GET', path)).body.data
    expect(row).toMatchObject({ id: last().headers['webhook-id'], type: 'session.revoked', lastStatus: 204 })
    expect((await admin('POST', `${path}/${row.id}/resend`)).status).toBe(202)
    await expect.poll(() => received.length).toBe(2)
    expect(last().headers['webhook-id']).toBe(row.id)

    const rotated = await admin('POST', `/${project.id}/rotate-events-secret`)
    expect(rotated.status).toBe(200)
    await logOut(project)
    await expect.poll(() => received.length).toBe(3)
    const both = [rotated.body.secret, eventsSecret].map((secret) => signature(last(), secret))
    expect(last().headers['webhook-signature']).toBe(both.join(' '))
  })

  test('are not sent any more to a receiver that answers 410', async () => {
    const project = await givenProject(token, { eventsUrl: url })
    status = 410
    await logOut(project)
    await expect.poll(async () => (await admin('GET', `/${project.id}`)).body.eventsDisabledAt).not.toBeNull()
    status = 204
    const again = await admin('PATCH', `/${project.id}`, { eventsUrl: url })
    expect(again.body.eventsDisabledAt).toBeNull()
  })

  test('400 for an address that is not public, or not https', async () => {
    const project = await givenProject(token)
    for (const eventsUrl of [
      'http://site.example/events',
      'https://10.0.0.1/events',
      'https://169.254.169.254/latest/meta-data/',
      'https://[::ffff:10.0.0.1]/',
      'https://167772161/',
      'https://user@site.example/',
      'https://site.example:22/',
    ]) {
      expect((await admin('PATCH', `/${project.id}`, { eventsUrl })).status, eventsUrl).toBe(400)
    }
  })
})
