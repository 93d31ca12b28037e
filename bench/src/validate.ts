import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { allCores, interleaved, serverCore, summarise, type Target } from './compare.ts'
import type { Place } from './place.ts'
import { environment, prepare, type Seeded, seedSessions } from './seed.ts'
import { answerOf, postJson, type Service, startBare, startPeer, startRolecall } from './services.ts'
import type { Table } from './table.ts'
import { type Requests, validateRequests, writeRequests } from './wrk.ts'

/** "Who is this, and are they still logged in?": validate, what others offer for it, and the limit of them all. */
export async function measureValidate(place: Place): Promise<Table[]> {
  const engine = process.env['ENGINE']
  const services: Service[] = []
  const targets: Target[] = []
  let answer: Buffer = Buffer.alloc(0)
  const add: Add = async (service, target, seeded) => {
    services.push(service)
    await warmUp(target.url, seeded)
    answer = await validateAnswer(target.url, seeded)
    targets.push({ ...target, answerBytes: answer.length })
  }
  if (!engine || engine === 'postgres') await addOnPostgres(place, add)
  if (!engine || engine === 'pglite') await addOnPglite(place, add)
  const [first] = targets
  if (!first) throw new Error('ENGINE is postgres or pglite.')
  if (!engine) for (const peer of peers) await addPeer(place, peer, services, targets)

  const bare = await startBare(serverCore, answer)
  services.push(bare)
  const limit: Target = {
    name: 'bare node:http',
    store: 'parses the same body, answers as many bytes',
    url: `${bare.url}/`,
    pids: [bare.pid],
    script: first.script,
    answerBytes: answer.length,
  }
  const tables: Table[] = []
  for (const connections of [64, 1]) {
    const note = 'Server, database and cache share one core; the load comes from the other.'
    const title = `Validate, ${connections} ${connections === 1 ? 'connection' : 'connections'}`
    const results = await interleaved([limit, ...targets], connections, connections === 64 ? 2 : 1)
    tables.push(summarise({ id: `validate-${connections}`, title, note }, results))
  }
  for (const service of services) await service.stop()
  return tables
}

type Add = (service: Service, target: Omit<Target, 'answerBytes'>, seeded: Seeded) => Promise<void>

const validatePath = '/api/auth/validate'

async function addOnPostgres({ folder, postgres, redis, seedPostgres }: Place, add: Add) {
  const { env, seeded } = await seedPostgres()
  const requests = validateRequests(seeded.apiKey, seeded.tokens)
  const path = await writeRequests(join(folder, 'postgres.lua'), requests)
  const script = () => path
  const alone = await startRolecall(serverCore, env)
  const named = { name: 'Rolecall', url: `${alone.url}${validatePath}`, script }
  await add(alone, { ...named, store: 'PostgreSQL, limit on', pids: [alone.pid, postgres.pid] }, seeded)
  if (!redis) return
  const shared = await startRolecall(serverCore, { ...env, CACHE_URL: redis.url })
  const pids = [shared.pid, postgres.pid, redis.pid]
  const url = `${shared.url}${validatePath}`
  await add(shared, { ...named, url, store: 'PostgreSQL + Redis, limit on', pids }, seeded)
}

async function addOnPglite({ folder, sessions }: Place, add: Add) {
  console.log(`${sessions} sessions of Rolecall on PGlite`)
  const env = { ...environment, DATABASE_URL: `pglite:${folder}/db` }
  const seeded = await prepare(env, (deps) => seedSessions(deps, sessions))
  const path = await writeRequests(join(folder, 'pglite.lua'), validateRequests(seeded.apiKey, seeded.tokens))
  const service = await startRolecall(serverCore, env)
  const url = `${service.url}${validatePath}`
  await add(
    service,
    { name: 'Rolecall', store: 'PGlite, limit on', url, pids: [service.pid], script: () => path },
    seeded,
  )
}

interface Peer {
  readonly name: string
  readonly store: string
  readonly program: string
  readonly path: string
  readonly env?: Readonly<Record<string, string>>
  /** Requests of these credentials. */
  readonly requests: (credentials: readonly string[]) => Requests
  /** What an answer about somebody who is logged in holds. */
  readonly expected: RegExp
  readonly sessions?: number
}

const cookies = (credentials: readonly string[]): Requests => ({
  method: 'GET',
  // Behind a proxy, as in production: without an address better-auth's limit does not count.
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
    store: 'no look-up: a revoked session stays good until its cookie ends; limit on',
    program: 'better-auth-server',
    path: '/api/auth/get-session',
    env: { COOKIE_CACHE: 'on' },
    requests: cookies,
    expected: /"session":.*"user":/,
    // Each cookie is made by an answer; how many there are makes no difference to whoever looks nothing up.
    sessions: 1_000,
  },
  {
    name: 'oidc-provider introspection',
    store: 'Redis: token and grant; no limit',
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
    store: 'Redis: one look-up; no limit',
    program: 'fastify-session-server',
    path: '/me',
    requests: cookies,
    expected: /"memberId":/,
  },
]

async function addPeer(
  { folder, postgres, redis, sessions }: Place,
  { name, store, program, path, env = {}, requests, expected, sessions: own = sessions }: Peer,
  services: Service[],
  targets: Target[],
) {
  const needsRedis = program !== 'better-auth-server'
  if (needsRedis && !redis) return
  console.log(`${own} sessions of ${name}`)
  const credentials = join(folder, `${targets.length}.credentials`)
  const service = await startPeer(serverCore, program, {
    DATABASE_URL: await postgres.database('better_auth'),
    REDIS_URL: redis?.url ?? '',
    SESSIONS: String(own),
    CREDENTIALS: credentials,
    ...env,
  })
  services.push(service)
  const lines = readFileSync(credentials, 'utf8').split('\n')
  const wanted = requests(lines)
  const url = `${service.url}${path}`
  const [each] = wanted.each
  const answer = await answerOf(
    url,
    {
      method: wanted.method,
      headers: { ...wanted.headers, ...(wanted.header && { [wanted.header]: each?.value ?? '' }) },
      ...(wanted.method === 'POST' && { body: each?.body ?? '' }),
    },
    expected,
  )
  const script = await writeRequests(join(folder, `${targets.length}.lua`), wanted)
  const behind = needsRedis && redis ? redis.pid : postgres.pid
  const pids = [service.pid, behind]
  targets.push({ name, store, url, pids, script: () => script, answerBytes: answer.length })
}

/** Each session once, as after an hour of work. */
async function warmUp(url: string, seeded: Seeded) {
  const waiting = [...seeded.tokens]
  const lane = async () => {
    for (let token = waiting.pop(); token; token = waiting.pop()) await validateAnswer(url, seeded, token)
  }
  await Promise.all(Array.from({ length: 32 }, lane))
}

const validateAnswer = (url: string, { apiKey, tokens }: Seeded, token = tokens[0]) =>
  answerOf(url, postJson({ 'x-api-key': apiKey }, { token }), /"rolesSource"/)

/** One process and two, where all share two cores: what a second process brings on a small machine. */
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
    await warmUp(url, seeded)
    answer = await validateAnswer(url, seeded)
    const pids = [service.pid, ...behind]
    const name = workers === 1 ? 'Rolecall' : 'Rolecall, WORKERS=2'
    targets.push({ name, store, url, pids, script: () => path, answerBytes: answer.length })
  }
  for (const workers of [2, 1]) {
    const bare = await startBare(allCores, answer, { workers })
    services.push(bare)
    targets.unshift({
      name: workers === 1 ? 'bare node:http' : 'bare node:http, 2 processes',
      store: 'parses the same body, answers as many bytes',
      url: `${bare.url}/`,
      pids: [bare.pid],
      script: () => path,
      answerBytes: answer.length,
    })
  }
  const note = 'Servers, database, cache and load share two cores.'
  const results = await interleaved(targets, 64)
  for (const service of services) await service.stop()
  return [summarise({ id: 'workers', title: 'One process and two, 64 connections', note }, results)]
}
