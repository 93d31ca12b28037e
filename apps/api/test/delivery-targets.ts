import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { demo } from '@rolecall/chat-sim'
import type { KindName } from '#deliveries/kind'
import { updateProject } from '../src/features/projects/update-project.ts'
import { sql } from '../src/platform/db/sql.ts'
import { writeEvent } from './event-receiver.ts'
import { type GivenProject, givenProject } from './given.ts'
import { arrivedIds, givenChannel, replaceKey, timesAsked, writtenIds } from './given-channel.ts'
import type { World } from './service.ts'

/** A fault of a receiver. `hang` never responds. `lost` accepts the message, and then cuts the connection. */
type Fault = { readonly status: number; readonly retryAfterSec?: number } | 'hang' | 'lost'

/** A project with an address for one kind of message, and its receiver. */
export interface Target extends GivenProject {
  readonly kind: KindName
  readonly url: string
  /** The secret part of the address. */
  readonly secret: string
  /** The path of the log that administrators read. */
  readonly log: string
  /** Queues messages, one after another. */
  queue(times?: number): Promise<void>
  /** The names of all messages, in the order of the queue. */
  queued(): Promise<readonly string[]>
  /** The names of the messages that arrived and were accepted, in order. */
  taken(): readonly string[]
  /** The number of requests so far. */
  asked(): number
  /** Responds to the next `times` requests with this fault, or to all of them without `times`. */
  fail(fault: Fault, times?: number): void
  heal(): void
  /** Replaces the address by that of another target, or removes it. */
  moveTo(other: Target | undefined): Promise<unknown>
  close(): Promise<void>
}

export const givenTarget: Readonly<Record<KindName, (world: World) => Promise<Target>>> = {
  event: async (world) => {
    const http = await startReceiver((body) => String(JSON.parse(body).data.note))
    const project = await givenProject(world, { eventsUrl: http.url, serverIds: [] })
    let notes = 0
    return {
      ...{ ...project, ...http, kind: 'event', log: 'event-deliveries' },
      queue: async (times = 1) => {
        for (let i = 0; i < times; i++) await writeEvent(world, project, demo.users.ada, notes++)
      },
      queued: async () => Array.from({ length: notes }, (_, note) => `${note}`),
      moveTo: (other) => change(world, project, { eventsUrl: other ? other.url : null }),
    }
  },
  notice: async (world) => {
    const channel = await givenChannel(world, { serverIds: [] })
    const path = channel.webhookId
    return {
      ...{ id: channel.id, key: channel.key, kind: 'notice', log: 'deliveries' },
      secret: channel.webhookUrl.split('/').at(-1) ?? '',
      url: channel.webhookUrl,
      queue: (times) => replaceKey(world, channel, times),
      queued: () => writtenIds(world, channel),
      taken: () => arrivedIds(world, channel).map(String),
      asked: () => timesAsked(world, channel),
      fail: (fault, times) => {
        const said =
          fault === 'hang' ? { delayMs: 20_000, reset: true } : fault === 'lost' ? { lost: true } : fault
        if (times === undefined) world.sim.failFor('webhook', said, 600_000, { path })
        else world.sim.failNext('webhook', said, { path, times })
      },
      heal: () => world.sim.clearFaults(),
      moveTo: (other) => change(world, channel, { webhookUrl: other ? other.url : null }),
      close: async () => {},
    }
  },
  logout: async (world) => {
    const http = await startReceiver((body) => sidOf(new URLSearchParams(body).get('logout_token') ?? ''))
    const oidc = { enabled: true, backchannelLogoutUri: http.url }
    const project = await givenProject(world, { oidc, serverIds: [] })
    const sids: string[] = []
    return {
      ...{ ...project, ...http, kind: 'logout', log: 'logout-deliveries' },
      queue: async (times = 1) => {
        for (let i = 0; i < times; i++) {
          const sessionId = randomUUID()
          sids.push(sessionId)
          // Writes the same columns as the triggers.
          await world.service.deps.db.execute(sql`
            insert into deliveries (kind, project_id, member_id, type, data)
            select 'logout', project_id, ${demo.users.ada}, 'logout',
              jsonb_build_object('sessionId', ${sessionId}::text, 'uri', backchannel_logout_uri)
            from oidc_clients where project_id = ${project.id} and backchannel_logout_uri is not null`)
        }
      },
      queued: async () => sids,
      moveTo: (other) => change(world, project, { oidc: { backchannelLogoutUri: other ? other.url : null } }),
    }
  },
}

const change = (world: World, { id }: GivenProject, input: Parameters<typeof updateProject>[3]) =>
  updateProject(world.service.deps, {}, id, input)

const sidOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid

async function startReceiver(nameOf: (body: string) => string) {
  const state = {
    asked: 0,
    taken: [] as string[],
    faults: [] as Fault[],
    always: undefined as Fault | undefined,
  }
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    state.asked += 1
    const fault = state.faults.shift() ?? state.always
    if (fault === 'hang') return
    if (typeof fault === 'object') {
      const { status, retryAfterSec } = fault
      response.writeHead(status, {
        location: '/elsewhere',
        ...(retryAfterSec !== undefined && { 'retry-after': `${retryAfterSec}` }),
      })
      return void response.end()
    }
    state.taken.push(nameOf(Buffer.concat(parts).toString('utf8')))
    if (fault === 'lost') request.socket.destroy()
    else response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const secret = randomUUID()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${secret}`
  return {
    ...{ url, secret },
    taken: () => state.taken,
    asked: () => state.asked,
    fail: (fault: Fault, times?: number) => {
      if (times === undefined) state.always = fault
      else for (let i = 0; i < times; i++) state.faults.push(fault)
    },
    heal: () => {
      state.always = undefined
      state.faults = []
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
