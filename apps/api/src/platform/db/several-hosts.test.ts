import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { type GivenProject, givenProject, givenSession, validate } from '../../../test/given.ts'
import { type PostgresServer, startMigratedPostgres, startPostgres } from '../../../test/postgres.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { databaseUrlProblem, hostUrls } from './database-url.ts'
import { openDatabase } from './open-database.ts'

let primary: PostgresServer
let standby: PostgresServer
let world: World
let project: GivenProject
let url: string
beforeAll(async () => {
  primary = await startMigratedPostgres()
  standby = await startPostgres({ durable: true, standbyOf: primary })
  // The standby is listed first: an address does not tell which of them accepts writes.
  const hosts = `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`
  url = `postgres://postgres:postgres@${hosts}/postgres?target_session_attrs=read-write`
  world = await startWorld('postgres', {}, { url, drop: async () => {} })
  project = await givenProject(world)
})
afterAll(async () => {
  await world.close()
  await Promise.all([primary.stop(), standby.stop()])
})

const statusOf = async (token: string) => (await validate(world, project, token)).status
const becomes = (token: string, status: number) =>
  expect.poll(() => statusOf(token), { timeout: 20_000, interval: 50 }).toBe(status)
const on = async <T>(server: PostgresServer, text: string) => {
  const db = await openDatabase(server.url, { maxConnections: 1 })
  try {
    return await db.query<T>({ text, values: [] })
  } finally {
    await db.close()
  }
}

test('a first host that takes connections and answers nothing does not hide the second', async () => {
  standby.pause()
  const db = await openDatabase(url)
  try {
    // Needs several attempts only if connecting takes longer than a connection may.
    const found = () => db.query({ text: 'select inet_server_port() as port', values: [] }).catch(() => [])
    await expect.poll(found, { timeout: 20_000 }).toEqual([{ port: primary.port }])
  } finally {
    standby.resume()
    await db.close()
  }
})

test('the service follows the server that takes writes: to the promoted standby, and to the first one again', async () => {
  const [kept, ended] = [await givenSession(world, project), await givenSession(world, project)]
  expect(await statusOf(kept.token)).toBe(200)
  // Changes that the standby has not received yet would be lost with the primary.
  const [{ lsn }] = (await on<{ lsn: string }>(primary, 'select pg_current_wal_lsn() as lsn')) as [
    { lsn: string },
  ]
  const received = `select pg_last_wal_replay_lsn() >= '${lsn}' as "isThere"`
  await expect.poll(() => on(standby, received), { timeout: 20_000 }).toEqual([{ isThere: true }])

  await primary.down('kill')
  // A standby that was not promoted could answer, but may lack a sign-out: no request is answered from it.
  await becomes(kept.token, 503)
  const health = await call(world.url, 'GET', '/api/health')
  expect([health.status, health.body]).toMatchObject([503, { database: 'down' }])

  await on(standby, 'select pg_promote()')
  await becomes(kept.token, 200)
  const logout = await call(world.url, 'POST', '/api/auth/logout', {
    key: project.key,
    body: { token: ended.token },
  })
  expect(logout.status).toBe(200)
  expect(await statusOf(ended.token)).toBe(401)

  // The promoted server stops, and the other returns, as it was when it was killed.
  await standby.down('kill')
  await primary.start()
  await becomes(kept.token, 200)
  const lines = world.service.logs.lines.filter((line) => line.includes('database primary changed'))
  expect(lines.map((line) => Number(/"port":(\d+)/.exec(line)?.[1]))).toEqual([standby.port, primary.port])
  expect(world.service.logs.leaks).toEqual([])
})

test('with no host that takes writes the reason names each, and no password', async () => {
  const closed = 'postgres://u:planted-password@127.0.0.1:1,[::1]:2/d'
  const db = await openDatabase(closed)
  const failed = await db.query({ text: 'select 1', values: [] }).catch((error: Error) => String(error.cause))
  await db.close()
  expect(failed).toContain('none of 2 hosts accepts writes; host 1: ECONNREFUSED; host 2: ')
  expect(failed).not.toContain('planted')
})

test('an address lists its hosts as PostgreSQL writes them, and a wrong list is told by what is wrong', () => {
  expect(hostUrls('postgres://u:p,q@a,b:5433,[::1]:5434/d?sslmode=require')).toEqual([
    'postgres://u:p,q@a/d?sslmode=require',
    'postgres://u:p,q@b:5433/d?sslmode=require',
    'postgres://u:p,q@[::1]:5434/d?sslmode=require',
  ])
  const problems = {
    'postgres://u:p@a,b:5433/d?target_session_attrs=read-write': undefined,
    'postgresql://a,b': undefined,
    'postgres://u:p@a,/d':
      'must list its hosts as host or host:port, separated by commas: number 2 of 2 is neither',
    'postgres://u:p@a,b:66000,c/d':
      'must list its hosts as host or host:port, separated by commas: number 2 of 3 is neither',
    'postgres://u:p@/d?host=a,b': expect.stringContaining('must list its hosts before the path'),
    'postgres://a,b/d?target_session_attrs=any': expect.stringContaining(
      'must set target_session_attrs=read-write',
    ),
  }
  for (const [url, problem] of Object.entries(problems)) expect(databaseUrlProblem(url), url).toEqual(problem)
})
