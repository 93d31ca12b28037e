import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../../tools/free-port.js'
import { emptyDatabaseForTests } from '../database-for-tests.ts'
import { folderForTests, redisForTests, simForTests } from '../process-for-tests.ts'
import { environmentFor, isAlive, type ServiceProcess, startService, workersOf } from './service-process.ts'

/** A little longer than the maximum time for which a worker may be silent. */
const longerThanAWorkerMaySleepMs = 12_000

describe('rolecall serve whose processes hang', { timeout: 120_000 }, () => {
  const sim = simForTests()
  const folder = folderForTests('rolecall-hung-')
  const database = emptyDatabaseForTests('postgres')
  const redis = redisForTests()
  const services: ServiceProcess[] = []
  afterAll(async () => {
    for (const service of services) await service.kill('SIGKILL')
  })
  const start = async (env: Record<string, string> = {}) => {
    const shared = { DATABASE_URL: database.url, CACHE_URL: redis.url }
    const service = startService(folder, { ...environmentFor(sim, await freePort()), ...shared, ...env })
    services.push(service)
    return service
  }
  const started = async (workers: number) => {
    const NODE_OPTIONS = `--import ${new URL('loop-on-signal.js', import.meta.url)}`
    const service = await start({ WORKERS: String(workers), NODE_OPTIONS })
    await service.listening
    await expect.poll(() => countOf(service, '"msg":"listening on'), { timeout: 30_000 }).toBe(workers)
    return service
  }

  test('a worker that is stopped, or that turns in a loop, is killed and replaced; the others serve meanwhile', async () => {
    const service = await started(3)
    const [stopped, looping, well] = (await workersOf(service)) as [number, number, number]
    process.kill(stopped, 'SIGSTOP')
    process.kill(looping, 'SIGUSR2')
    // By default, Node.js opens a debugger on this signal, with which anyone on this machine could run code in the
    // service.
    for (const pid of [well, service.child.pid as number]) process.kill(pid, 'SIGUSR1')
    await expect
      .poll(() => countOf(service, 'worker killed: it stopped responding; starting another'), {
        timeout: 60_000,
        interval: 250,
      })
      .toBe(2)
    await expect.poll(() => countOf(service, '"msg":"listening on'), { timeout: 30_000 }).toBe(5)
    const after = await workersOf(service)
    expect(after).toHaveLength(3)
    expect(after).toContain(well)
    for (let asked = 0; asked < 10; asked++) {
      const answer = await fetch(`${service.url}/api/health/ready`, { headers: { connection: 'close' } })
      expect(answer.status).toBe(200)
    }
    expect(countOf(service, '"level":50')).toBe(2)
    expect(service.output()).not.toContain('Debugger listening')
    expect(await service.kill('SIGINT'), service.output()).toBe(0)
  })

  test('a service that is suspended as a whole, and goes on, loses no worker', async () => {
    const service = await started(2)
    const before = await workersOf(service)
    const everyone = [...before, service.child.pid as number]
    for (const pid of everyone) process.kill(pid, 'SIGSTOP')
    await sleep(longerThanAWorkerMaySleepMs)
    // Resumes the primary first, so that it sees workers that were silent for this long.
    for (const pid of everyone.toReversed()) process.kill(pid, 'SIGCONT')
    for (const pid of before) {
      await expect.poll(() => isRunningAgain(pid, service), { timeout: 20_000 }).toBe(true)
    }
    await sleep(2_000)
    expect(await workersOf(service)).toEqual(before)
    expect(service.output()).not.toContain('worker killed')
    expect(await service.kill('SIGINT')).toBe(0)
  })

  test('a worker that dies while it is asked for its figures does not end the service', async () => {
    const service = await started(2)
    const primary = service.child.pid as number
    const [, killed] = (await workersOf(service)) as [number, number]
    const agent = new Agent({ keepAlive: true, maxSockets: 2 })
    const ask = async (path: string) => {
      const [answer] = await once(get(`${service.url}${path}`, { agent }), 'response')
      answer.resume()
      await once(answer, 'end')
    }
    // Opens a connection to each worker.
    await Promise.all([ask('/api/health/live'), ask('/api/health/live')])
    process.kill(primary, 'SIGSTOP')
    const scrapes = Promise.allSettled([ask('/metrics'), ask('/metrics')])
    await sleep(500)
    process.kill(killed, 'SIGKILL')
    await sleep(200)
    // The primary now reads the requests and queries both workers before it notices that one has ended.
    process.kill(primary, 'SIGCONT')
    await scrapes
    agent.destroy()
    await expect.poll(() => countOf(service, '"msg":"listening on'), { timeout: 30_000 }).toBe(3)
    expect(service.output()).not.toContain('unhandled error')
    expect(await service.kill('SIGINT'), service.output()).toBe(0)
  })

  test('a worker that cannot be created is tried again, and the other one stays', async () => {
    const service = await started(2)
    const primary = service.child.pid as number
    const [killed, well] = (await workersOf(service)) as [number, number]
    const allowFiles = (count: number) =>
      execFileSync('prlimit', ['--pid', `${primary}`, `--nofile=${count}:`])
    const files = new Set(await readdir(`/proc/${primary}/fd`))
    let free = 0
    while (files.has(String(free))) free += 1
    allowFiles(free)
    process.kill(killed, 'SIGKILL')
    await expect.poll(() => countOf(service, 'EMFILE')).toBeGreaterThan(1)
    expect(service.output()).toContain('raise the limits on open files')
    allowFiles(1024)
    await expect.poll(() => countOf(service, '"msg":"listening on'), { timeout: 30_000 }).toBe(3)
    expect(await workersOf(service)).toEqual([well, expect.any(Number)])
    expect(await service.kill('SIGINT'), service.output()).toBe(0)
  })

  test('a service stops although a program that a worker has started keeps the channel of the worker open', async () => {
    const NODE_OPTIONS = `--import ${new URL('keep-channel-open.js', import.meta.url)}`
    const service = await start({ WORKERS: '2', NODE_OPTIONS })
    await service.listening
    await expect.poll(() => countOf(service, '"msg":"listening on'), { timeout: 30_000 }).toBe(2)
    expect(await service.kill('SIGINT'), service.output()).toBe(0)
  })

  test('a worker whose primary dies before it has said its first word ends without a word', async () => {
    for (let times = 0; times < 3; times++) {
      const service = await start({ WORKERS: '2' })
      // Stops a worker as soon as it exists, before it runs our program, until the primary has ended.
      let workers: number[] = []
      while (workers.length === 0) workers = await workersOf(service)
      const [worker] = workers as [number]
      process.kill(worker, 'SIGSTOP')
      service.child.kill('SIGKILL')
      await expect.poll(() => isAlive(service.child.pid as number)).toBe(false)
      process.kill(worker, 'SIGCONT')
      await service.ended
      await expect.poll(() => isAlive(worker)).toBe(false)
      expect(service.output()).toBe('')
    }
  })
})

const countOf = (service: ServiceProcess, text: string) => service.output().split(text).length - 1

/** Returns true when Linux no longer reports the process as stopped, and the service responds. */
async function isRunningAgain(pid: number, { url }: ServiceProcess): Promise<boolean> {
  const state = /^State:\s+(\w)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
  const answer = await fetch(`${url}/api/health/live`, { headers: { connection: 'close' } })
  return state !== 'T' && answer.ok
}
