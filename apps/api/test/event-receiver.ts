import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { createProject } from '../src/features/projects/create-project.ts'
import { sql } from '../src/platform/db/sql.ts'
import { call } from './client.ts'
import { type GivenProject, redirectUri } from './given.ts'
import type { World } from './service.ts'

/** A delivery to a receiver. */
export interface Delivery {
  readonly id: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

interface Reply {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly afterMs?: number
}

/** An external program that receives events by HTTP. */
interface Receiver {
  readonly url: string
  /** All deliveries in order, including rejected ones. */
  readonly received: Delivery[]
  /** The deliveries with a 2xx response. */
  readonly taken: Delivery[]
  /** The number of requests in progress, and its maximum so far. */
  readonly load: { now: number; most: number }
  /** Returns the response. The default is 204. */
  reply: (delivery: Delivery) => Reply
  close(): Promise<void>
}

async function startReceiver(host = '127.0.0.1'): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    receiver.load.now += 1
    receiver.load.most = Math.max(receiver.load.most, receiver.load.now)
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString('utf8')
    const headers = request.headers as Record<string, string>
    const { type, data } = JSON.parse(body)
    const delivery = { id: headers['webhook-id'] ?? '', type, data, body, headers }
    receiver.received.push(delivery)
    const { status = 204, headers: sent = {}, afterMs = 0 } = receiver.reply(delivery)
    if (afterMs > 0) await sleep(afterMs, undefined, { ref: false })
    if (status < 300) receiver.taken.push(delivery)
    receiver.load.now -= 1
    response.writeHead(status, sent).end()
  })
  server.listen(0, host)
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://${host}:${(server.address() as AddressInfo).port}/events?from=rolecall`,
    received: [],
    taken: [],
    load: { now: 0, most: 0 },
    reply: () => ({}),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}

export interface GivenReceiver extends GivenProject {
  readonly receiver: Receiver
  readonly secret: string
}

let made = 0

/** Creates a project with its own receiver of events. */
export async function givenReceiver({ service: { deps } }: World): Promise<GivenReceiver> {
  made += 1
  const receiver = await startReceiver()
  const { id, apiKey, eventsSecret } = await createProject(
    deps,
    {},
    { name: `Receiver ${made}`, redirectUris: [redirectUri], eventsUrl: receiver.url },
  )
  return { id, key: apiKey, receiver, secret: eventsSecret ?? '' }
}

/** Writes an event about a member, as the triggers do. */
export const writeEvent = ({ service: { deps } }: World, { id }: GivenProject, memberId: string, note = 0) =>
  deps.db.execute(sql`
    insert into outbox (project_id, type, data)
    values (${id}, 'member.roles_changed', jsonb_build_object('memberId', ${memberId}::text, 'note', ${note}::int))`)

/**
 * Verifies a delivery as a receiver does, with the official library of the standard.
 *
 * @throws if the signature was not created with this secret
 */
export const verified = ({ body, headers }: Delivery, secret: string) =>
  new Webhook(secret).verify(body, { ...headers })

/** Returns the service's list of the events that it sent to a project, newest first. */
export const deliveriesOf = async (world: World, token: string, { id }: GivenProject, query = '') => {
  const reply = await call(world.url, 'GET', `/api/admin/projects/${id}/event-deliveries${query}`, { token })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.body.data
}
