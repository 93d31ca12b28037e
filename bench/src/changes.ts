import { join } from 'node:path'
import type { Deps } from '@rolecall/api/deps'
import { digestOf } from '@rolecall/api/platform/crypto/tokens'
import {
  interleaved,
  loadCore,
  type Program,
  rounds,
  seconds,
  serverCore,
  summarise,
  type Target,
} from './compare.ts'
import { addMembers, copyCodes, copySessions, settle } from './copies.ts'
import { issue, memberOf } from './logins.ts'
import { findPgbench, runPgbench } from './pgbench.ts'
import type { Place } from './place.ts'
import { numberCodes, numberSessions, plainExchange, plainLogout, plainRefresh } from './plain-changes.ts'
import { environment, prepare, redirectUri, roleIds, seedSessions, serverId } from './seed.ts'
import { startRolecall } from './services.ts'
import type { Table } from './table.ts'
import { type Requests, writeRequests } from './wrk.ts'

/** The number of sessions and codes to create per second of a run. A run that uses up all of them fails. */
const perSecond = Number(process.env['CHANGES_PER_SECOND'] ?? 5_000)
const connectionCounts = [32, 1]
/** The maximum for pgbench, which reaches its rate with ten. Each further one first plans the statement and its triggers. */
const maxClients = 10
const members = 50_000
/** The supply for all runs and their warm-up, for both counts of connections. */
const supply = perSecond * (seconds * rounds + 2) * connectionCounts.length

/**
 * Measures changes that the database limits. pgbench sends the same change as one plain statement for each request, to the
 * same database, and waits for the same commit. It runs on the core of the load, so the database has its core alone.
 */
export async function measureChanges(place: Place): Promise<Table[]> {
  const program = findPgbench()
  if (!program) {
    console.log('Without pgbench, the rows of refresh, logout, and exchange are skipped.')
    return []
  }
  const { postgres, redis } = place
  const database = await postgres.database('changes')
  const env = { ...environment, DATABASE_URL: database, ...(redis && { CACHE_URL: redis.url }) }
  console.log(`${2 * supply} codes, ${4 * supply} sessions, ${members} members for changes`)
  const changes = changesOf(await prepare(env, makeSupply))
  const service = await startRolecall(serverCore, env)
  const pids = [service.pid, postgres.pid, ...(redis ? [redis.pid] : [])]
  const tables: Table[] = []
  for (const change of changes) {
    const limit = plainly(change, { program, url: database }, place)
    const target = byService(change, { url: service.url, pids }, place)
    for (const connections of connectionCounts)
      tables.push(await compare(change, [limit, target], connections))
  }
  await service.stop()
  return tables
}

interface Change {
  readonly id: string
  readonly title: string
  readonly path: string
  readonly requests: Requests
  /** The same change, as pgbench sends it. */
  readonly statement: string
}

/** pgbench measures no percentiles. */
const shownColumns = ['name', 'store', 'rate', 'ratio', 'cpu']
const note =
  'Each answer follows a commit to disk. The database has one core, which the service and the cache share with it; the load has the other.'

async function compare({ id, title }: Change, targets: readonly (Target | Program)[], connections: number) {
  const names = `${connections} ${connections === 1 ? 'connection' : 'connections'}`
  const place = { id: `${id}-${connections}`, title: `${title}, ${names}`, note }
  const whole = summarise(place, await interleaved(targets, connections))
  return { ...whole, columns: whole.columns.filter(({ key }) => shownColumns.includes(key)) }
}

function plainly(
  { statement, title }: Change,
  { program, url }: { program: string; url: string },
  { folder, postgres }: Place,
): Program {
  let first = 0
  return {
    name: 'pgbench',
    store: 'one plain statement for each request',
    pids: [postgres.pid],
    answerBytes: 0,
    run: async (connections, forSeconds) => {
      const clients = Math.min(connections, maxClients)
      const perClient = Math.ceil((perSecond * forSeconds) / clients)
      const run = {
        program,
        core: loadCore,
        url,
        folder,
        statement,
        clients,
        seconds: forSeconds,
        first,
        perClient,
      }
      first += perClient * clients
      if (first > supply) throw usedUp(title)
      return runPgbench(run)
    },
  }
}

function byService(
  { id, title, path, requests }: Change,
  { url, pids }: { url: string; pids: readonly number[] },
  { folder, redis }: Place,
): Target {
  let first = 0
  return {
    name: 'Rolecall',
    store: redis ? 'PostgreSQL + Redis, limit on' : 'PostgreSQL, limit on',
    url: `${url}${path}`,
    pids,
    script: () => writeRequests(join(folder, `${id}.lua`), { ...requests, order: 'once', first }),
    sent: (count) => {
      first += count
      if (first > requests.each.length) throw usedUp(title)
    },
    answerBytes: 0,
  }
}

const usedUp = (title: string) =>
  new Error(`${title}: what was made for it is used up; CHANGES_PER_SECOND makes more.`)

async function makeSupply(deps: Deps) {
  const { db } = deps
  const { apiKey, tokens, projectId } = await seedSessions(deps, 1)
  const [token = ''] = tokens
  const code = await issue(deps, projectId, await memberOf(deps, token))
  const others = await addMembers(db, serverId, roleIds, members)
  await numberCodes(db, digestOf(code), supply, others)
  for (const kind of ['refresh', 'logout'] as const)
    await numberSessions(db, kind, digestOf(token), supply, others)
  const toRefresh = await copySessions(db, token, supply, others)
  const toEnd = await copySessions(db, token, supply, others)
  const codes = await copyCodes(db, code, supply, others)
  await settle(db)
  return { apiKey, projectId, codes, toRefresh, toEnd }
}

function changesOf({
  apiKey,
  projectId,
  codes,
  toRefresh,
  toEnd,
}: Awaited<ReturnType<typeof makeSupply>>): readonly Change[] {
  const json = { 'Content-Type': 'application/json' }
  const asProject = { ...json, 'X-API-Key': apiKey }
  return [
    {
      id: 'changes-refresh',
      title: 'Refresh',
      path: '/api/auth/token/refresh',
      requests: {
        method: 'POST',
        headers: json,
        header: 'Authorization',
        each: toRefresh.map(({ token, refreshToken }) => ({
          value: `Bearer ${token}`,
          body: JSON.stringify({ refreshToken }),
        })),
      },
      statement: plainRefresh,
    },
    {
      id: 'changes-logout',
      title: 'Logout',
      path: '/api/auth/logout',
      requests: {
        method: 'POST',
        headers: asProject,
        each: toEnd.map(({ token }) => ({ body: JSON.stringify({ token }) })),
      },
      statement: plainLogout(projectId),
    },
    {
      id: 'changes-exchange',
      title: 'Exchange of a one-time code for a session',
      path: '/api/auth/token',
      requests: {
        method: 'POST',
        headers: asProject,
        each: codes.map((code) => ({ body: JSON.stringify({ clientId: projectId, code, redirectUri }) })),
      },
      statement: plainExchange(projectId, redirectUri),
    },
  ]
}
