import { join } from 'node:path'
import { type Change, changesOf, makeSupply, type Requested } from './change-requests.ts'
import {
  interleaved,
  type Program,
  rounds,
  seconds,
  serverCore,
  summarise,
  type Target,
  withoutTimes,
} from './compare.ts'
import { findPgbench, plainStatement } from './pgbench.ts'
import type { Place } from './place.ts'
import { environment, prepare } from './seed.ts'
import { startRolecall } from './services.ts'
import type { Table } from './table.ts'
import { writeRequests } from './wrk.ts'

/** The number of sessions and codes to create for each second of a run. A run that uses up all of them fails. */
const perSecond = Number(process.env['CHANGES_PER_SECOND'] ?? 5_000)
const connectionCounts = [32, 1]
/** The number of connections at which the service's own endpoints and those of OpenID Connect are compared. */
const protocolConnections = 32
/** The number of rows for all runs of one table, with their warm-up. */
const tableSupply = perSecond * (seconds * rounds + 2)
/** The number of rows for all tables: those with pgbench, and the one with OpenID Connect. */
const supply = tableSupply * (connectionCounts.length + 1)

/**
 * Measures the changes whose rate the database limits, and compares them with pgbench. For each request, pgbench sends
 * the same change as one plain statement to the same database, and waits for its commit. It runs on the core of the
 * load, so the database has the other core alone. Then compares the service's own endpoints with those of OpenID
 * Connect.
 */
export async function measureChanges(place: Place): Promise<Table[]> {
  const program = findPgbench()
  if (!program) {
    console.log('Without pgbench, the rows of refresh, logout, and exchange are skipped.')
    return []
  }
  const { postgres, redis } = place
  const database = await postgres.database('changes')
  const env = {
    ...environment,
    DATABASE_URL: database,
    // The key that seals signing keys.
    OUTBOUND_WEBHOOK_ENCRYPTION_KEY: '1'.repeat(64),
    INBOUND_WEBHOOK_ENCRYPTION_KEY: '2'.repeat(64),
    ...(redis && { CACHE_URL: redis.url }),
  }
  const changes = changesOf(
    await prepare(env, (deps) => makeSupply(deps, { supply, protocolSupply: tableSupply })),
  )
  const service = await startRolecall(serverCore, env)
  const pids = [service.pid, postgres.pid, ...(redis ? [redis.pid] : [])]
  const tables: Table[] = []
  for (const change of changes) {
    const limit = plainly(change, { program, url: database }, place)
    const target = byService(change, { url: service.url, pids }, place)
    for (const connections of connectionCounts)
      tables.push(await compare(change, [limit, target], connections))
    if (!change.byProtocol) continue
    const rival = byService(change.byProtocol, { url: service.url, pids }, place)
    tables.push(await compare(change.byProtocol, [target, rival], protocolConnections))
  }
  await service.stop()
  return tables
}

const note =
  'Each response follows a commit to disk. The database, the service, and the cache share one core. The load generator has the other.'

async function compare(
  { id, title }: Requested,
  targets: readonly (Target | Program)[],
  connections: number,
) {
  const names = `${connections} ${connections === 1 ? 'connection' : 'connections'}`
  const place = { id: `${id}-${connections}`, title: `${title}, ${names}`, note }
  return withoutTimes(summarise(place, await interleaved(targets, connections)))
}

function plainly(
  { statement, title }: Change,
  { program, url }: { program: string; url: string },
  { folder, postgres }: Place,
): Program {
  const used = (count: number) => {
    if (count > supply) throw usedUp(title)
  }
  return plainStatement({ program, url, folder, statement, pids: [postgres.pid], perSecond, used })
}

function byService(
  { id, title, name, path, requests }: Requested,
  { url, pids }: { url: string; pids: readonly number[] },
  { folder, redis }: Place,
): Target {
  let first = 0
  return {
    name,
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
  new Error(`${title}: all prepared rows are used up. Increase CHANGES_PER_SECOND.`)
