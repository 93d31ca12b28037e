import { join } from 'node:path'
import type { Deps } from '@rolecall/api/deps'
import { ownChanges } from './change-requests.ts'
import { interleaved, limitTarget, rounds, seconds, serverCore, summarise, type Target } from './compare.ts'
import { addMembers, copyCodes, copySessions, settle } from './copies.ts'
import { adminToken, issue, memberOf } from './logins.ts'
import type { Place } from './place.ts'
import { adminRoleId, environment, prepare, roleIds, seedSessions, serverId } from './seed.ts'
import { answerOf, startBare, startRolecall } from './services.ts'
import type { Table } from './table.ts'
import { firstOf, type Requests, writeRequests } from './wrk.ts'

/**
 * The number of inputs to create for each second of a run. Endpoints that change something use up their input, because
 * a code can be exchanged only once. If a run uses up all inputs, it fails with that reason.
 */
const perSecond = Number(process.env['PER_SECOND'] ?? 6_000)
const members = 50_000
const connections = 64

/** Measures the service's endpoints other than validate, one table per kind. */
export async function measureEndpoints(place: Place): Promise<Table[]> {
  const { postgres, redis } = place
  const env = {
    ...environment,
    DATABASE_URL: await postgres.database('endpoints'),
    CHAT_ADMIN_ROLE_ID: adminRoleId,
    ...(redis && { CACHE_URL: redis.url }),
  }
  const supply = perSecond * (seconds * rounds + 1) + 1_000
  console.log(`${supply} codes, ${2 * supply} sessions, ${members} members for the other endpoints`)
  const made = await prepare(env, (deps) => makeSupply(deps, supply))
  const service = await startRolecall(serverCore, env)
  const pids = [service.pid, postgres.pid, ...(redis ? [redis.pid] : [])]
  const tables: Table[] = []
  for (const endpoint of endpointsOf(made)) tables.push(await measure(endpoint, service.url, pids, place))
  await service.stop()
  return tables
}

interface Endpoint {
  readonly id: string
  readonly title: string
  readonly path: string
  readonly requests: Requests
  /** Matches the response to a request with the first credentials. It is checked once before the load. */
  readonly expected: RegExp
}

async function measure(
  { id, title, path, requests, expected }: Endpoint,
  url: string,
  pids: readonly number[],
  { folder, redis }: Place,
): Promise<Table> {
  const answer = await answerOf(`${url}${path}`, firstOf(requests), expected)
  const bare = await startBare(serverCore, answer)
  const isOnce = requests.order === 'once'
  let first = 1
  const own = await writeRequests(join(folder, `${id}.lua`), { ...requests, first })
  const again = await writeRequests(join(folder, `${id}-bare.lua`), { ...requests, order: 'uniform' })
  const answerBytes = answer.length
  const limit = limitTarget(bare, { script: () => again, answerBytes })
  const target: Target = {
    name: 'Rolecall',
    store: redis ? 'PostgreSQL + Redis, limit on' : 'PostgreSQL, limit on',
    url: `${url}${path}`,
    pids,
    script: () => (isOnce ? writeRequests(own, { ...requests, first }) : own),
    sent: (count) => {
      first += count
      if (isOnce && first > requests.each.length)
        throw new Error(`${title}: all prepared rows are used up. Increase PER_SECOND.`)
    },
    answerBytes,
  }
  const cores = 'The server, the database, and the cache share one core. The load generator has the other.'
  const note = isOnce ? `PostgreSQL commits each change to disk before the response. ${cores}` : cores
  const results = await interleaved([limit, target], connections)
  await bare.stop()
  return summarise({ id, title, note }, results)
}

type Supply = Awaited<ReturnType<typeof makeSupply>>

async function makeSupply(deps: Deps, count: number) {
  const { apiKey, tokens, projectId } = await seedSessions(deps, 1)
  const [token = ''] = tokens
  const memberId = await memberOf(deps, token)
  const admin = await adminToken(deps, memberId)
  const code = await issue(deps, projectId, memberId)
  const others = await addMembers(deps.db, serverId, roleIds, members)
  const codes = await copyCodes(deps.db, code, count, others)
  const toRefresh = await copySessions(deps.db, token, count, others)
  const toEnd = await copySessions(deps.db, token, count, others)
  await settle(deps.db)
  return { apiKey, projectId, admin, codes, toRefresh, toEnd }
}

function endpointsOf({ admin, ...own }: Supply): readonly Endpoint[] {
  const search = (text: string) => ({
    path: `/api/admin/members?search=${text}&limit=20`,
    requests: { method: 'GET', headers: { Authorization: `Bearer ${admin}` }, each: [{}] } as const,
    expected: /"username":/,
  })
  const { exchange, refresh, logout } = ownChanges(own)
  return [
    { id: 'exchange', ...once(exchange), expected: /"refreshToken":/ },
    { id: 'refresh', ...once(refresh), expected: /"refreshToken":/ },
    { id: 'logout', ...once(logout), expected: /"success":true/ },
    { id: 'search', title: `Member search, one in ${members.toLocaleString('en')}`, ...search('coral12343') },
    { id: 'search-many', title: 'Member search that matches every fifth name', ...search('coral') },
  ]
}

const once = <T extends { readonly requests: Requests }>(change: T) => ({
  ...change,
  requests: { ...change.requests, order: 'once' } as const,
})
