import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../../tools/free-port.js'
import { call } from '../client.ts'
import { emptyDatabaseForTests } from '../database-for-tests.ts'
import { atPlatform, Browser, openLogin } from '../given.ts'
import { folderForTests, redisForTests, simForTests } from '../process-for-tests.ts'
import { environmentFor, isAlive, type ServiceProcess, startService, workersOf } from './service-process.ts'

describe('rolecall serve with WORKERS=2', { timeout: 90_000 }, () => {
  const sim = simForTests({ headlessLogin: true })
  const folder = folderForTests('rolecall-workers-')
  const database = emptyDatabaseForTests('postgres')
  const redis = redisForTests()
  let environment: Record<string, string>
  /** The environment of every service in this file. */
  let shared: Record<string, string>
  const services: ServiceProcess[] = []
  beforeAll(async () => {
    shared = { DATABASE_URL: database.url, CACHE_URL: redis.url, WORKERS: '2' }
    environment = { ...environmentFor(sim, await freePort()), ...shared }
  })
  afterAll(async () => {
    for (const service of services) await service.kill('SIGKILL')
  })
  const started = (env: Record<string, string> = {}) => {
    const service = startService(folder, { ...environment, ...env })
    services.push(service)
    return service
  }
  const startedWithWorkers = async () => {
    const port = await freePort()
    sim.allowRedirect(`http://127.0.0.1:${port}/api/auth/callback`)
    const service = started({ ...environmentFor(sim, port), ...shared })
    await service.listening
    await expect.poll(() => timesListening(service)).toBe(2)
    return { service, workers: await workersOf(service) }
  }
  /** Starts sign-ins that wait for a response of the chat platform. */
  const loginsUnderWay = async (service: ServiceProcess, count: number) => {
    const browsers = await Promise.all(
      Array.from({ length: count }, async () => {
        const browser = new Browser(service.url)
        return {
          browser,
          back: await atPlatform(await openLogin(browser, '/api/auth/admin/login'), { as: demo.users.mara }),
        }
      }),
    )
    const before = sim.journal.entries('token').length
    for (let i = 0; i < count; i++) sim.failNext('token', { delayMs: 1_500 })
    const answers = browsers.map(({ browser, back }) => browser.get(back))
    await expect.poll(() => sim.journal.entries('token').length, { interval: 5 }).toBe(before + count)
    return answers
  }
  const timesListening = (service: ServiceProcess) => service.output().split('"msg":"listening on').length - 1
  const isAnswering = async (service: ServiceProcess) =>
    (await fetch(`${service.url}/api/health/ready`, { headers: { connection: 'close' } })).status === 200

  test('two processes answer on one port; one that is killed is replaced, and the other serves meanwhile', async () => {
    const service = started()
    await service.listening
    await expect.poll(() => timesListening(service)).toBe(2)
    const before = await workersOf(service)
    expect(before).toHaveLength(2)

    // A scrape returns the figures of both workers, whichever responds.
    await Promise.all(Array.from({ length: 10 }, () => isAnswering(service)))
    for (let scrape = 0; scrape < 4; scrape++) {
      const answer = await fetch(`${service.url}/metrics`, { headers: { connection: 'close' } })
      expect(await answer.text()).toContain('route="/api/health/ready",status="200"} 10\n')
    }

    process.kill(before[0] as number, 'SIGKILL')
    await expect.poll(() => service.output()).toContain('starting another')
    for (let request = 0; request < 20; request++) expect(await isAnswering(service)).toBe(true)
    await expect.poll(() => timesListening(service)).toBe(3)
    const after = await workersOf(service)
    expect(after).toHaveLength(2)
    expect(after).toContain(before[1])
    // The counts of the killed worker remain, because Prometheus would take a falling counter for a restart.
    const { text } = await call(service.url, 'GET', '/metrics')
    expect(text).toContain('route="/api/health/ready",status="200"} 30\n')
    const lines = service
      .output()
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
    const instances = new Map(lines.map(({ pid, instance }) => [pid, instance]))
    expect([...instances.keys()]).toEqual(expect.arrayContaining([service.child.pid, ...before, ...after]))
    expect(new Set(instances.values()).size).toBe(instances.size)

    expect(await service.kill('SIGTERM')).toBe(0)
    for (const pid of after) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    await expect(fetch(service.url)).rejects.toThrow()
  })

  test('signals to every process of the group, twice, lose no request that is under way', async () => {
    const { service, workers } = await startedWithWorkers()
    const underWay = await loginsUnderWay(service, 8)
    const everyone = [service.child.pid as number, ...workers]
    // Signals the primary last. Workers get one signal from the service manager, and another from the primary.
    for (const pid of everyone.toReversed()) process.kill(pid, 'SIGTERM')
    await expect.poll(() => service.output().split('"msg":"stopping"').length - 1).toBe(everyone.length)
    for (const pid of everyone) process.kill(pid, 'SIGTERM')
    for (const answer of await Promise.all(underWay)) expect(answer.status).toBe(302)
    expect(await service.ended).toBe(0)
    for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  test('a worker that is asked to stop alone answers what it has and is replaced', async () => {
    const { service, workers } = await startedWithWorkers()
    const underWay = await loginsUnderWay(service, 4)
    process.kill(workers[0] as number, 'SIGTERM')
    for (const answer of await Promise.all(underWay)) expect(answer.status).toBe(302)
    await expect.poll(() => service.output()).toContain('starting another')
    await expect.poll(() => timesListening(service)).toBe(3)
    expect(await service.kill('SIGINT')).toBe(0)
  })

  test('a worker that crashes while the service starts or stops is reported, and the exit code is 1', async () => {
    const starting = started({ DATABASE_URL: 'postgres://u:p@127.0.0.1:1/d' })
    await expect.poll(() => starting.output(), { timeout: 60_000 }).toContain('database unreachable')
    const [loading] = await workersOf(starting)
    process.kill(loading as number, 'SIGSEGV')
    expect(await starting.ended).toBe(1)

    const { service: stopping, workers } = await startedWithWorkers()
    const ended = stopping.kill('SIGTERM')
    await expect.poll(() => stopping.output(), { interval: 5 }).toContain('"msg":"stopping"')
    process.kill(workers[0] as number, 'SIGSEGV')
    expect(await ended).toBe(1)
    for (const service of [starting, stopping])
      expect(service.output()).toMatch(/"signal":"SIGSEGV","msg":"worker exited; stopping the service"/)
  })

  test('workers whose primary was killed answer what they have, and end', async () => {
    const { service, workers } = await startedWithWorkers()
    const underWay = await loginsUnderWay(service, 4)
    service.child.kill('SIGKILL')
    for (const answer of await Promise.all(underWay)) expect(answer.status).toBe(302)
    for (const pid of workers) await expect.poll(() => isAlive(pid)).toBe(false)
  })

  test('what refuses the start ends all of it, told once', async () => {
    const other = started({ WORKERS: '1' })
    await other.listening
    const refused = started()
    expect(await refused.ended).toBe(1)
    expect(refused.output().split('is in use').length - 1).toBe(1)
  })

  test('workers end with the process that started them, however that ended', async () => {
    const service = started({ PORT: String(await freePort()) })
    await service.listening
    await expect.poll(() => timesListening(service)).toBe(2)
    const pids = await workersOf(service)
    await service.kill('SIGKILL')
    for (const pid of pids) await expect.poll(() => isAlive(pid)).toBe(false)
  })
})
