import { randomUUID } from 'node:crypto'
import type { ChatEvent } from '@rolecall/api/chat/chat-gateway'
import { noUserFields } from '@rolecall/api/chat/chat-objects'
import type { ChatMember } from '@rolecall/api/chat/chat-platform'
import type { Deps } from '@rolecall/api/deps'
import { createProject } from '@rolecall/api/features/projects/create-project'
import type { createEventWriter } from '@rolecall/api/mirror/gateway/event-writer'
import type { Pair } from './copies.ts'
import { deletedRoleId, type MassSupply, otherServerId } from './mass-seed.ts'
import type { Lane } from './other-work.ts'
import { redirectUri, roleIds, serverId } from './seed.ts'
import { postJson } from './services.ts'

const patienceMs = 100_000

export type Send = (event: ChatEvent) => Promise<void>

/** Returns a function that passes an event of the platform to the service's writer, and waits until it is written. */
export function createSend(
  writer: Pick<ReturnType<typeof createEventWriter>, 'push' | 'waitUntilWritten'>,
): Send {
  let sequence = 0
  return async (event) => {
    sequence += 1
    writer.push({ event, at: { session: 'bench', sequence }, receivedAt: performance.now() })
    await writer.waitUntilWritten(event.serverId, AbortSignal.timeout(patienceMs))
  }
}

/** Creates the requests of a project, for the checks and for the other work. */
export function createAsk(url: string, apiKey: string) {
  const post = (path: string, headers: Record<string, string>, body: object) =>
    fetch(`${url}/api/auth/${path}`, postJson(headers, body))
  const asProject = { 'x-api-key': apiKey }
  const validate = async ({ token }: Pair) => {
    const response = await post('validate', asProject, { token })
    return { status: response.status, text: await response.text() }
  }
  const expectOk = async (response: Response) => {
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text}`)
  }
  return {
    /** Returns true if the response of validate still contains the deleted role. */
    holds: async (pair: Pair) => (await validate(pair)).text.includes(deletedRoleId),
    isEnded: async (pair: Pair) => (await validate(pair)).status === 401,
    refresh: async ({ token, refreshToken }: Pair) =>
      expectOk(await post('token/refresh', { authorization: `Bearer ${token}` }, { refreshToken })),
    logout: async ({ token }: Pair) => expectOk(await post('logout', asProject, { token })),
  }
}

/** Returns the other requests and changes. The bench measures their waiting times during a mass change. */
export function otherWork(
  deps: Deps,
  ask: ReturnType<typeof createAsk>,
  send: Send,
  { holders, leavers, toRefresh, toEnd }: MassSupply,
): readonly Lane[] {
  const next = (pairs: Pair[]) => pairs.pop() as Pair
  const unused = toEnd[0] as Pair
  return [
    { name: 'validate', once: () => ask.holds(unused).then(() => {}) },
    { name: 'refresh', once: () => ask.refresh(next(toRefresh)) },
    { name: 'logout', once: () => ask.logout(next(toEnd)) },
    { name: 'event', once: () => send(changed(otherServerId, leavers.ids[0] ?? '')) },
    { name: 'holder', once: () => send(changed(serverId, holders.ids.at(-1) ?? '')) },
    {
      name: 'audited',
      once: async () => {
        await createProject(deps, {}, { name: randomUUID(), redirectUris: [redirectUri] })
        await deps.answers.confirm()
      },
    },
  ]
}

const userOf = (id: string) => ({ ...noUserFields, id, username: `member.${id}`, isBot: false })

const memberOf = (id: string): ChatMember => ({
  user: userOf(id),
  nick: `Nick ${performance.now()}`,
  roleIds: roleIds.slice(0, 1),
  joinedAt: new Date('2024-01-02T03:04:05Z'),
  pending: false,
})

const changed = (id: string, memberId: string): ChatEvent => ({
  kind: 'memberChanged',
  serverId: id,
  member: memberOf(memberId),
})

/** Returns the event that a member has left. */
export const departed = (memberId: string): ChatEvent => ({
  kind: 'memberRemoved',
  serverId,
  user: userOf(memberId),
})

const firstListed = 600_000_000_000_000_000n

/** Returns a page of the members of a server with `count` members, as the platform would. */
export function listed(count: number, after: string, limit: number): ChatMember[] {
  const from = after === '0' ? 0 : Number(BigInt(after) - firstListed) + 1
  return Array.from({ length: Math.max(0, Math.min(limit, count - from)) }, (_, i) =>
    memberOf(String(firstListed + BigInt(from + i))),
  )
}
