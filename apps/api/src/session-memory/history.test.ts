import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { givenAdmin, givenProject, givenSession } from '../../test/given.ts'
import { type Instance, startInstance } from '../../test/instance.ts'
import { createOwnServer } from '../../test/own-server.ts'
import { redisForTests } from '../../test/process-for-tests.ts'
import { createRandom } from '../../test/random.ts'
import { type Service, startWorld, type World } from '../../test/service.ts'
import { setProjectActive } from '../../test/switch-project.ts'
import { sql } from '../platform/db/sql.ts'

/**
 * Runs three instances with concurrent changes and requests, and with all kinds of faults. Every request and every
 * change is noted with its begin and end by one clock, and afterwards the history is checked. `HISTORY_MINUTES=10
 * HISTORY_ASKERS=18 HISTORY_SEED=…` is the long run.
 */
const seed = Number(process.env['HISTORY_SEED'] ?? 20_261_122)
/** The number of concurrent clients that validate one member. */
const askers = Number(process.env['HISTORY_ASKERS'] ?? 3)
const runMs = Number(process.env['HISTORY_MINUTES'] ?? 0.15) * 60_000

/**
 * A time at which a credential was void: from the response of the change that ended it to the request that makes it
 * valid again.
 */
interface Void {
  readonly from: number
  to: number
}

interface Credential {
  readonly voids: Void[]
}

interface Asked {
  readonly what: string
  readonly token: Credential
  readonly project: Credential
  readonly begin: number
  readonly end: number
  readonly status: number
}

const connections = new Agent({ keepAlive: true })

/**
 * Returns the status of a validate. Without `fetch`, which costs three times as much: the long run sends a million
 * requests.
 */
const ask = (url: string, key: string, token: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify({ token })
    const asked = request(
      `${url}/api/auth/validate`,
      {
        agent: connections,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': body.length, 'x-api-key': key },
        timeout: 15_000,
      },
      (reply) => {
        reply.once('error', reject).once('end', () => resolve(reply.statusCode ?? 0))
        reply.resume()
      },
    )
    asked.once('timeout', () => asked.destroy(new Error('The question was not answered in time.')))
    asked.once('error', reject)
    asked.end(body)
  })

const redis = redisForTests()
let world: World
let deaf: Service
let processes: Instance[]
const env = { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' }
const start = () =>
  startInstance(world.database.url, world.sim, { ...env, CACHE_URL: redis.url, CHAT_GATEWAY: 'off' })
beforeAll(async () => {
  world = await startWorld('postgres', { ...env, CACHE_URL: redis.url }, await createOwnServer())
  deaf = await world.another(
    {},
    { deliver: (payload, receive) => void (Math.random() < 0.5 && receive(payload)) },
  )
  processes = [await start()]
}, 120_000)
afterAll(async () => {
  for (const one of processes) one.wake()
  await Promise.all(processes.map((one) => one.kill()))
  connections.destroy()
  redis.resume()
  await world.close()
})

test(
  'no question that begins after a change was answered sees the state before it',
  async () => {
    const random = createRandom(seed)
    const history: Asked[] = []
    const endsAt = performance.now() + runMs
    const isRunning = () => performance.now() < endsAt
    const urls = () => [world.url, deaf.url, ...processes.map(({ url }) => url)]
    const post = (url: string, path: string, headers: Record<string, string>, body: object) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(15_000),
      })

    // Mara, who is never blocked, at the console.
    const admin = await givenAdmin(world)
    const asAdmin = (url: string, method: 'PUT' | 'DELETE', memberId: string) =>
      fetch(`${url}/api/admin/members/${memberId}/block`, {
        method,
        headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
        ...(method === 'PUT' && { body: JSON.stringify({ reason: 'A run' }) }),
        signal: AbortSignal.timeout(15_000),
      })

    const asked: Promise<void>[] = []
    /**
     * Runs a member who signs in, is validated everywhere, refreshes and is signed out or blocked, again and again.
     */
    const live = async (memberId: string) => {
      const project = await givenProject(world)
      const ofProject: Credential = { voids: [] }
      const key = { 'x-api-key': project.key }
      while (isRunning()) {
        // Its connection may be one of those that are terminated.
        const made = await givenSession(world, project, memberId).catch(() => undefined)
        if (!made) continue
        let pair = { ...made }
        let token: Credential = { voids: [] }
        let isOver = false
        const asking = Array.from({ length: askers }, async (_, i) => {
          while (!isOver && isRunning()) {
            const one = { token, project: ofProject, presented: pair.token }
            const begin = performance.now()
            // Always the same instance for one client: while one is frozen, the clients of the others continue.
            const url = urls()[i % urls().length] as string
            const status = await ask(url, project.key, one.presented).catch(() => undefined)
            const end = performance.now()
            if (status !== undefined) history.push({ what: `${url} ${memberId}`, ...one, begin, end, status })
            else await sleep(5)
          }
        })
        for (let change = random.between(2, 6); change > 0 && isRunning(); change--) {
          await sleep(random.between(1, 60))
          if (random.chance(0.3)) {
            const off = await setProjectActive(world, project.id, false)
            if (!off) continue
            const gone: Void = { from: performance.now(), to: Number.POSITIVE_INFINITY }
            ofProject.voids.push(gone)
            // Its sessions do not come back with it.
            token.voids.push({ from: gone.from, to: Number.POSITIVE_INFINITY })
            await sleep(random.between(1, 30))
            gone.to = performance.now()
            while (!(await setProjectActive(world, project.id, true))) await sleep(20)
            continue
          }
          const reply = await post(
            random.one([world.url, deaf.url]) as string,
            '/api/auth/token/refresh',
            { authorization: `Bearer ${pair.token}` },
            { refreshToken: pair.refreshToken },
          ).catch(() => undefined)
          if (reply?.status !== 200) continue
          const made = (await reply.json()) as {
            accessToken: string
            refreshToken: string
            expiresAt: string
          }
          token.voids.push({ from: performance.now(), to: Number.POSITIVE_INFINITY })
          token = { voids: [] }
          pair = { token: made.accessToken, refreshToken: made.refreshToken, expiresAt: made.expiresAt }
        }
        const url = random.one([world.url, deaf.url]) as string
        const isBlocked = memberId !== demo.users.mara && random.chance(0.4)
        const [path, body] = random.chance(0.5)
          ? ['/api/auth/logout', { token: pair.token }]
          : ['/api/auth/logout-all', { memberId }]
        const reply = isBlocked
          ? await asAdmin(url, 'PUT', memberId).catch(() => undefined)
          : await post(url, path as string, key, body as object).catch(() => undefined)
        if (reply?.status === 200) token.voids.push({ from: performance.now(), to: Number.POSITIVE_INFINITY })
        // Allows a few more requests with the ended session.
        await sleep(20)
        // Sessions that a block has ended stay ended after it.
        while (isBlocked && (await asAdmin(url, 'DELETE', memberId).catch(() => undefined))?.status !== 204)
          await sleep(20)
        await sleep(20)
        isOver = true
        // Clients of the frozen instance are not awaited.
        asked.push(...asking)
      }
    }

    const trouble = async () => {
      while (isRunning()) {
        await sleep(random.between(100, 700))
        const what = random.below(5)
        const [victim] = processes as [Instance]
        if (what === 0) {
          victim.hang()
          await sleep(random.between(50, 3_000))
          victim.wake()
        } else if (what === 1) {
          await world.service.deps.db
            .query(sql`
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() and query like '%answer_leases%'`)
            .catch(() => {})
        } else if (what === 2) {
          redis.pause()
          await sleep(random.between(50, 1_500))
          redis.resume()
        } else if (what === 3) {
          await redis.restart()
        } else if (runMs > 30_000 || random.chance(0.2)) {
          await victim.kill()
          processes = [await start()]
        }
      }
    }
    await Promise.all([
      trouble(),
      ...[demo.users.ada, demo.users.joon, demo.users.mara, demo.users.rosa].map((memberId) =>
        live(memberId),
      ),
    ])
    await Promise.all(asked)

    const isWithin = ({ begin, end }: Asked, voids: readonly Void[]) =>
      voids.some(({ from, to }) => begin > from && end < to)
    const stale = history.filter(
      (one) => one.status === 200 && (isWithin(one, one.token.voids) || isWithin(one, one.project.voids)),
    )
    const good = history.filter(({ status }) => status === 200).length
    const refused = history.filter(({ status }) => status === 401).length
    console.log(
      `seed ${seed}: ${history.length} questions, ${good} answered 200, ${refused} 401, ${stale.length} stale`,
    )
    expect(stale.slice(0, 3)).toEqual([])
    expect(good).toBeGreaterThan(20)
    expect(refused).toBeGreaterThan(20)
  },
  runMs + 120_000,
)
