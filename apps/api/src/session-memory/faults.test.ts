import { setTimeout as sleep } from 'node:timers/promises'
import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../../test/client.ts'
import { type GivenProject, givenProject, givenSession, validate } from '../../test/given.ts'
import { type Instance, startInstance } from '../../test/instance.ts'
import { createOwnServer } from '../../test/own-server.ts'
import { redisForTests } from '../../test/process-for-tests.ts'
import { type Service, startWorld, type World } from '../../test/service.ts'
import { sql } from '../platform/db/sql.ts'
import { unknownHolder } from './change-log-store.ts'
import { type Deliver, leaseTiming } from './lease.ts'

/** The delay that a busy machine may add to any step. */
const slackMs = 2_500

const redis = redisForTests()
let world: World
let project: GivenProject
let deliver: Deliver = (payload, receive) => receive(payload)
/** An instance with notifications that a test loses and delays. */
let hardOfHearing: Service
let processes: Instance[]
beforeAll(async () => {
  const env = { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0', CACHE_URL: redis.url }
  world = await startWorld('postgres', env, await createOwnServer())
  hardOfHearing = await world.another({}, { deliver: (...told) => deliver(...told) })
  processes = await Promise.all(
    [1, 2].map(() => startInstance(world.database.url, world.sim, { ...env, CHAT_GATEWAY: 'off' })),
  )
  project = await givenProject(world)
}, 120_000)
afterAll(async () => {
  for (const one of processes) one.wake()
  await Promise.all(processes.map((one) => one.kill()))
  redis.resume()
  await world.close()
})

/** Creates a session that each of these instances has validated. */
async function keptBy(...urls: string[]): Promise<string> {
  const { token } = await givenSession(world, project, demo.users.ada)
  for (let i = 0; i < 2; i++)
    for (const url of urls) expect((await validate({ url }, project, token)).status).toBe(200)
  return token
}
const logout = async (token: string) => {
  const startedAt = performance.now()
  const { status } = await call(world.url, 'POST', '/api/auth/logout', { key: project.key, body: { token } })
  expect(status).toBe(200)
  return performance.now() - startedAt
}
/**
 * Waits until each instance has a lease that it renews: a frozen instance loses its own, and is not awaited before it
 * has another.
 */
const untilAllHold = () =>
  expect
    .poll(async () => {
      const read = () =>
        world.service.deps.db.query<{ id: string; renewals: number }>(sql`
          select id::text as id, renewals::int as renewals from answer_leases where id <> ${unknownHolder}::uuid`)
      const before = new Map((await read()).map(({ id, renewals }) => [id, renewals]))
      await sleep(3 * leaseTiming.renewEveryMs)
      return (await read()).filter(({ id, renewals }) => renewals > (before.get(id) ?? renewals)).length
    })
    .toBe(2 + processes.length)
const statusOf = async (url: string, token: string) => (await validate({ url }, project, token)).status

test('lost notifications cost time, and no answer is stale', async () => {
  deliver = () => {}
  for (let round = 0; round < 5; round++) {
    const token = await keptBy(hardOfHearing.url)
    expect(await logout(token)).toBeLessThan(leaseTiming.leaseMs + slackMs)
    expect(await statusOf(hardOfHearing.url, token)).toBe(401)
  }
})

test('late notifications cost time, and no answer is stale', async () => {
  deliver = (payload, receive) => void sleep(100).then(() => receive(payload))
  for (let round = 0; round < 5; round++) {
    const token = await keptBy(hardOfHearing.url)
    await logout(token)
    expect(await statusOf(hardOfHearing.url, token)).toBe(401)
  }
  deliver = (payload, receive) => receive(payload)
})

test('a cache that hangs, or is gone, costs time, and no answer is stale', async () => {
  const urls = [hardOfHearing.url, ...processes.map(({ url }) => url)]
  const faults = [() => redis.pause(), () => redis.resume(), () => redis.kill(), () => redis.restart()]
  for (const fault of faults) {
    const token = await keptBy(...urls)
    await fault()
    expect(await logout(token)).toBeLessThan(leaseTiming.leaseMs + slackMs)
    expect(await Promise.all(urls.map((url) => statusOf(url, token)))).toEqual(urls.map(() => 401))
  }
})

test('a frozen instance is waited for until its lease has ended, and is right once it goes on', async () => {
  const [frozen, other] = processes as [Instance, Instance]
  for (let round = 0; round < 3; round++) {
    const token = await keptBy(frozen.url, other.url)
    frozen.hang()
    expect(await logout(token)).toBeLessThan(leaseTiming.leaseMs + slackMs)
    expect(await statusOf(other.url, token)).toBe(401)
    // The first request that it finds when it continues.
    const asked = statusOf(frozen.url, token)
    frozen.wake()
    expect(await asked).toBe(401)
  }
  const told = world.service.logs.lines.find((line) => line.includes('change confirmation delayed'))
  expect(JSON.parse(told ?? '{}').waitedMs).toBeGreaterThanOrEqual(500)
})

test('a frozen instance delays one change, and those after it no more', async () => {
  const [frozen] = processes as [Instance, Instance]
  await untilAllHold()
  const tokens = [await keptBy(frozen.url), await keptBy(frozen.url), await keptBy(frozen.url)]
  frozen.hang()
  const [first = 0, ...later] = [
    await logout(tokens[0] as string),
    await logout(tokens[1] as string),
    await logout(tokens[2] as string),
  ]
  frozen.wake()
  expect(first).toBeGreaterThan(100)
  expect(Math.min(...later)).toBeLessThan(first / 2 + 100)
  for (const token of tokens) expect(await statusOf(frozen.url, token)).toBe(401)
})

test('an instance that lost all its connections answers, and nothing stale', async () => {
  const urls = [world.url, hardOfHearing.url, ...processes.map(({ url }) => url)]
  for (let round = 0; round < 5; round++) {
    const token = await keptBy(...urls)
    await world.service.deps.db.query(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and query like '%answer_leases%'`)
    await logout(token)
    expect(await Promise.all(urls.map((url) => statusOf(url, token)))).toEqual(urls.map(() => 401))
  }
})

test('a killed instance delays a change by no more than a lease', async () => {
  const [, killed] = processes as [Instance, Instance]
  const token = await keptBy(killed.url)
  await killed.kill()
  expect(await logout(token)).toBeLessThan(leaseTiming.leaseMs + slackMs)
  expect(await statusOf(world.url, token)).toBe(401)
})
