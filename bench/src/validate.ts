import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  allCores,
  interleaved,
  limitTarget,
  type Round,
  serverCore,
  summarise,
  summarisePairs,
  type Target,
} from './compare.ts'
import type { Place } from './place.ts'
import { environment, prepare, type Seeded, seedSessions } from './seed.ts'
import {
  answerOf,
  type Service,
  startBare,
  startPeer,
  startRolecall,
  validateAnswer,
  warmUp,
} from './services.ts'
import type { Table } from './table.ts'
import { firstOf, type Requests, validateRequests, writeRequests } from './wrk.ts'

/**
 * Measures validate, the equivalents of the peers, and the bare server. Each of them answers: who is this, and are they
 * still signed in? Each target is measured in turn with only the bare server, and stops before the next one starts,
 * because even idle servers would take time on the same core.
 */
export async function measureValidate(place: Place): Promise<Table[]> {
  const engine = process.env['ENGINE']
  const starts: Start[] = []
  if (!engine || engine === 'postgres') starts.push(...(await startsOnPostgres(place)))
  if (!engine || engine === 'pglite') starts.push(() => startOnPglite(place))
  if (!engine) starts.push(...peers.flatMap((peer) => startOfPeer(place, peer)))

  let limit: { readonly service: Service; readonly target: Target } | undefined
  const pairs = new Map<number, Map<Target, Round[]>[]>(connectionCounts.map((count) => [count, []]))
  for (const start of starts) {
    const { service, target, answer } = await start()
    limit ??= await startLimit(answer, target)
    for (const [connections, measured] of pairs) {
      measured.push(await interleaved([limit.target, target], connections, connections === 1 ? 1 : 2))
    }
    await service.stop()
  }
  if (!limit) throw new Error('ENGINE is postgres or pglite.')
  await limit.service.stop()
  return [...pairs].map(([connections, measured]) => {
    const note = 'The server, the database, and the cache share one core. The load generator has the other.'
    const title = `Validate, ${connections} ${connections === 1 ? 'connection' : 'connections'}`
    return summarisePairs({ id: `validate-${connections}`, title, note }, measured)
  })
}

const connectionCounts = [64, 1]

interface Started {
  readonly service: Service
  readonly target: Target
  readonly answer: Buffer
}
type Start = () => Promise<Started>

async function startLimit(answer: Buffer, target: Target) {
  const service = await startBare(serverCore, answer)
  return { service, target: limitTarget(service, target) }
}

const validatePath = '/api/auth/validate'

/** Starts Rolecall, and loads all sessions into its memory. */
async function warmed(
  service: Service,
  seeded: Seeded,
  target: Pick<Target, 'store' | 'pids' | 'script'>,
): Promise<Started> {
  const url = `${service.url}${validatePath}`
  const answer = await warmUpValidate(url, seeded)
  return { service, answer, target: { ...target, name: 'Rolecall', url, answerBytes: answer.length } }
}

async function startsOnPostgres({ folder, postgres, redis, seedPostgres }: Place): Promise<Start[]> {
  const { env, seeded } = await seedPostgres()
  const path = await writeRequests(
    join(folder, 'postgres.lua'),
    validateRequests(seeded.apiKey, seeded.tokens),
  )
  const script = () => path
  const alone = async () => {
    const service = await startRolecall(serverCore, env)
    const pids = [service.pid, postgres.pid]
    return warmed(service, seeded, { store: 'PostgreSQL, limit on', pids, script })
  }
  const shared = async ({ url, pid }: { url: string; pid: number }) => {
    const service = await startRolecall(serverCore, { ...env, CACHE_URL: url })
    const pids = [service.pid, postgres.pid, pid]
    return warmed(service, seeded, { store: 'PostgreSQL + Redis, limit on', pids, script })
  }
  return redis ? [alone, () => shared(redis)] : [alone]
}

async function startOnPglite({ folder, sessions }: Place): Promise<Started> {
  console.log(`${sessions} sessions of Rolecall on PGlite`)
  const env = { ...environment, DATABASE_URL: `pglite:${folder}/db` }
  const seeded = await prepare(env, (deps) => seedSessions(deps, sessions))
  const path = await writeRequests(join(folder, 'pglite.lua'), validateRequests(seeded.apiKey, seeded.tokens))
  const service = await startRolecall(serverCore, env)
  return warmed(service, seeded, { store: 'PGlite, limit on', pids: [service.pid], script: () => path })
}

interface Peer {
  readonly name: string
  readonly store: string
  readonly program: string
  readonly path: string
  readonly env?: Readonly<Record<string, string>>
  /** Returns the requests with the given credentials. */
  readonly requests: (credentials: readonly string[]) => Requests
  /** Matches the response about a signed-in user. */
  readonly expected: RegExp
  readonly sessions?: number
}

const cookies = (credentials: readonly string[]): Requests => ({
  method: 'GET',
  // Sends an address like a proxy does. Without it, the rate limit of better-auth would not count.
  headers: { 'X-Forwarded-For': '192.0.2.1' },
  header: 'Cookie',
  each: credentials.map((value) => ({ value })),
})
const client = Buffer.from('bench:a-secret-of-the-bench-that-is-long-enough').toString('base64')

const peers: readonly Peer[] = [
  {
    name: 'better-auth get-session',
    store: 'PostgreSQL, limit on',
    program: 'better-auth-server',
    path: '/api/auth/get-session',
    requests: cookies,
    expected: /"session":.*"user":/,
  },
  {
    name: 'better-auth get-session, cookie cache',
    store: 'no lookup: a revoked session stays valid until its cookie expires; limit on',
    program: 'better-auth-server',
    path: '/api/auth/get-session',
    env: { COOKIE_CACHE: 'on' },
    requests: cookies,
    expected: /"session":.*"user":/,
    // Fewer sessions, because each needs a response that sets its cookie. A peer without a store is not slower with
    // more.
    sessions: 1_000,
  },
  {
    name: 'oidc-provider introspection',
    store: 'Redis: reads token and grant; no rate limit',
    program: 'oidc-provider-server',
    path: '/token/introspection',
    requests: (credentials) => ({
      method: 'POST',
      headers: {
        Authorization: `Basic ${client}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      each: credentials.map((token) => ({ body: `token=${token}` })),
    }),
    expected: /"active":true/,
  },
  {
    name: 'Fastify + @fastify/session',
    store: 'Redis: one lookup; no rate limit',
    program: 'fastify-session-server',
    path: '/me',
    requests: cookies,
    expected: /"memberId":/,
  },
]

function startOfPeer(
  { folder, postgres, redis, sessions }: Place,
  { name, store, program, path, env = {}, requests, expected, sessions: own = sessions }: Peer,
): Start[] {
  const needsRedis = program !== 'better-auth-server'
  if (needsRedis && !redis) return []
  const file = join(folder, `${program}${env['COOKIE_CACHE'] ?? ''}`)
  const start = async () => {
    console.log(`${own} sessions of ${name}`)
    const service = await startPeer(serverCore, program, {
      DATABASE_URL: await postgres.database('better_auth'),
      REDIS_URL: redis?.url ?? '',
      SESSIONS: String(own),
      CREDENTIALS: `${file}.credentials`,
      ...env,
    })
    const wanted = requests(readFileSync(`${file}.credentials`, 'utf8').split('\n'))
    const url = `${service.url}${path}`
    const answer = await answerOf(url, firstOf(wanted), expected)
    const script = await writeRequests(`${file}.lua`, wanted)
    const pids = [service.pid, needsRedis && redis ? redis.pid : postgres.pid]
    return {
      service,
      answer,
      target: { name, store, url, pids, script: () => script, answerBytes: answer.length },
    }
  }
  return [start]
}

/** Validates each session once. Returns one of the responses. */
async function warmUpValidate(url: string, seeded: Seeded) {
  await warmUp(url, validateRequests(seeded.apiKey, seeded.tokens), /"rolesSource"/)
  return validateAnswer(url, seeded)
}

/** Measures one process and two processes on both cores. The difference is the gain of a second process. */
export async function measureWorkers({ folder, postgres, redis, seedPostgres }: Place): Promise<Table[]> {
  const { env, seeded } = await seedPostgres()
  const cache = redis && { CACHE_URL: redis.url }
  const path = await writeRequests(
    join(folder, 'workers.lua'),
    validateRequests(seeded.apiKey, seeded.tokens),
  )
  const services: Service[] = []
  const targets: Target[] = []
  let answer: Buffer = Buffer.alloc(0)
  const store = redis ? 'PostgreSQL + Redis, limit on' : 'PostgreSQL, limit on'
  const behind = [postgres.pid, ...(redis ? [redis.pid] : [])]
  for (const workers of [1, 2]) {
    const service = await startRolecall(allCores, { ...env, ...cache, WORKERS: String(workers) })
    services.push(service)
    const url = `${service.url}${validatePath}`
    answer = await warmUpValidate(url, seeded)
    const pids = [service.pid, ...behind]
    const name = workers === 1 ? 'Rolecall' : 'Rolecall, WORKERS=2'
    targets.push({ name, store, url, pids, script: () => path, answerBytes: answer.length })
  }
  for (const workers of [2, 1]) {
    const bare = await startBare(allCores, answer, { workers })
    services.push(bare)
    const limit = limitTarget(bare, { script: () => path, answerBytes: answer.length })
    targets.unshift(workers === 1 ? limit : { ...limit, name: `${limit.name}, ${workers} processes` })
  }
  const note = 'The servers, the database, the cache, and the load generator share two cores.'
  const results = await interleaved(targets, 64)
  for (const service of services) await service.stop()
  return [summarise({ id: 'workers', title: 'One and two processes, 64 connections', note }, results)]
}
