import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '@rolecall/api/config'
import type { Database } from '@rolecall/api/platform/db/database'
import { sql } from '@rolecall/api/platform/db/sql'
import { createLog } from '@rolecall/api/platform/log'
import { openConfiguredDatabase } from '@rolecall/api/wiring/create-deps'
import { allCores, median } from './compare.ts'
import { addMembers, copySessions, type Pair, settle } from './copies.ts'
import { makeFolder, removeFolder, startPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'
import { environment, prepare, roleIds, type Seeded, seedSessions, serverId } from './seed.ts'
import { postJson, type Service, startRolecall } from './services.ts'
import type { Table } from './table.ts'

const restSeconds = Number(process.env['REST_SECONDS'] ?? 10)
const revocations = Number(process.env['REVOCATIONS'] ?? 200)
const manyInstances = 100

/**
 * Measures what another instance costs the shared database: the statements per second while idle, and the statements
 * for each session that one instance ends, which the others may have in memory.
 *
 * @param counts the numbers of instances, in ascending order
 */
export async function measureInstances(counts: readonly number[]): Promise<Table[]> {
  const folder = await makeFolder()
  const flags = ['-c', 'shared_preload_libraries=pg_stat_statements', '-c', 'max_connections=400']
  const postgres = await startPostgres(folder, undefined, flags)
  const redis = await startRedis(allCores)
  try {
    const cache: Record<string, string> = redis ? { CACHE_URL: redis.url } : {}
    const env = { ...environment, ...cache, DATABASE_URL: await postgres.database('instances') }
    const perCount = 2 * (revocations + 1)
    const { seeded, pairs } = await prepare(env, async (deps) => {
      const made = await seedSessions(deps, 1)
      await deps.db.script('create extension pg_stat_statements')
      const members = await addMembers(deps.db, serverId, roleIds, counts.length * perCount)
      const copies = await copySessions(deps.db, made.tokens[0] ?? '', members.length, members)
      await settle(deps.db)
      return { seeded: made, pairs: copies }
    })
    const db = await openConfiguredDatabase(loadConfig(env).config, createLog('warn'))
    const measured: Measured[] = []
    const services: Service[] = []
    for (const [i, count] of counts.entries()) {
      const missing = Array.from({ length: count - services.length }, () => startRolecall(allCores, env))
      services.push(...(await Promise.all(missing)))
      const own = pairs.slice(i * perCount, (i + 1) * perCount)
      measured.push(await measureCount(db, services, seeded, own))
    }
    await Promise.all(services.map((service) => service.stop()))
    await db.close()
    return tablesOf(measured, redis ? 'PostgreSQL and Redis' : 'PostgreSQL')
  } finally {
    redis?.stop()
    await postgres.stop()
    await removeFolder(folder)
  }
}

interface Measured {
  readonly instances: number
  readonly atRest: number
  readonly perValidate: number
  readonly perLogout: number
  readonly logoutMs: number
  readonly refreshMs: number
}

/** Returns the number of statements so far, except those that count them. */
const countStatements = async (db: Database) => {
  const found = await db.maybeOne<{ calls: number }>(sql`
    select sum(calls)::float8 as calls from pg_stat_statements where query not like '%pg_stat_statements%'`)
  return found?.calls ?? 0
}

/** Runs `work`. Returns the number of statements meanwhile, and the seconds that it took. */
async function counted(db: Database, work: () => Promise<unknown>) {
  const before = await countStatements(db)
  const from = performance.now()
  await work()
  const took = (performance.now() - from) / 1_000
  return { statements: (await countStatements(db)) - before, seconds: took }
}

async function measureCount(
  db: Database,
  services: readonly Service[],
  { apiKey }: Seeded,
  pairs: readonly Pair[],
): Promise<Measured> {
  const [first] = services
  if (!first) throw new Error('INSTANCES names no number.')
  const asProject = { 'x-api-key': apiKey }
  const validate = (service: Service, token: string) =>
    ask(`${service.url}/api/auth/validate`, postJson(asProject, { token }))
  // Waits until all instances have finished starting. Then loads each session into the memory of each instance.
  await sleep(2_000)
  for (const service of services) for (const { token } of pairs) await validate(service, token)
  const rest = await counted(db, () => sleep(restSeconds * 1_000))
  const perSecond = rest.statements / rest.seconds
  const validated = await counted(db, async () => {
    for (const { token } of pairs) await validate(first, token)
  })
  const half = pairs.length / 2
  const logouts: number[] = []
  const ended = await counted(db, async () => {
    for (const { token } of pairs.slice(0, half)) {
      logouts.push(await timed(() => ask(`${first.url}/api/auth/logout`, postJson(asProject, { token }))))
    }
  })
  const refreshes: number[] = []
  for (const { token, refreshToken } of pairs.slice(half)) {
    const init = postJson({ authorization: `Bearer ${token}` }, { refreshToken })
    refreshes.push(await timed(() => ask(`${first.url}/api/auth/token/refresh`, init)))
  }
  const measured = {
    instances: services.length,
    atRest: perSecond,
    perValidate: Math.max(0, validated.statements - perSecond * validated.seconds) / pairs.length,
    perLogout: (ended.statements - perSecond * ended.seconds) / logouts.length,
    logoutMs: median(logouts),
    refreshMs: median(refreshes),
  }
  console.log(
    `  ${services.length} instances: ${perSecond.toFixed(1)} statements/s at rest, ${measured.perLogout.toFixed(1)} per logout`,
  )
  return measured
}

async function ask(url: string, init: RequestInit) {
  const response = await fetch(url, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${text}`)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

function tablesOf(measured: readonly Measured[], store: string): Table[] {
  const columns = [
    { key: 'instances', title: 'Instances', digits: 0 },
    { key: 'atRest', title: 'Statements per second at rest', digits: 1 },
    { key: 'perLogout', title: 'Statements per logout', digits: 1 },
  ]
  const at = (field: 'atRest' | 'perLogout') =>
    lineThrough(measured.map((one) => [one.instances, one[field]] as const))
  const [rest, logout] = [at('atRest'), at('perLogout')]
  const formula = ({ base, slope }: Line) => `${base.toFixed(1)} + ${slope.toFixed(2)} × instances`
  return [
    {
      id: 'instances',
      title: 'Database statements by number of instances',
      note:
        `${store}, without the gateway, everything on two cores. All instances cache each session, and one instance receives the logouts ` +
        `and refreshes, one after another. The statements at rest, measured for ${restSeconds} s, are subtracted from those per logout and per validate.`,
      columns: [
        ...columns,
        { key: 'perValidate', title: 'Statements per validate', digits: 2 },
        { key: 'logoutMs', title: 'Logout p50 ms', digits: 1 },
        { key: 'refreshMs', title: 'Refresh p50 ms', digits: 1 },
      ],
      rows: measured.map((one) => ({ ...one })),
    },
    {
      id: 'many-instances',
      title: `Extrapolation to ${manyInstances} instances`,
      note: `Statements per second at rest: ${formula(rest)}. Statements per logout: ${formula(logout)}.`,
      columns,
      rows: [
        {
          instances: manyInstances,
          atRest: rest.base + rest.slope * manyInstances,
          perLogout: logout.base + logout.slope * manyInstances,
        },
      ],
    },
  ]
}

interface Line {
  readonly base: number
  readonly slope: number
}

/**
 * Fits a line by least squares. An instance cannot reduce the work of another one, so a falling line is noise, and is
 * replaced by a level one.
 */
function lineThrough(points: readonly (readonly [number, number])[]): Line {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))]
  const spread = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0)
  const together = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0)
  const slope = spread === 0 ? 0 : Math.max(0, together / spread)
  return { base: y - slope * x, slope }
}
