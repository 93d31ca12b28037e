import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChatSim, startChatSim } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../apps/api/test/databases.ts'
import { freePort } from '../../apps/api/test/postgres.ts'
import { type RedisServer, startRedis } from '../../apps/api/test/redis.ts'
import { environmentFor, type ServiceProcess, startService } from './service-process.ts'

describe('rolecall serve with WORKERS=2', { timeout: 90_000 }, () => {
  let sim: ChatSim
  let folder: string
  let database: TestDatabase
  let redis: RedisServer
  let environment: Record<string, string>
  const services: ServiceProcess[] = []
  beforeAll(async () => {
    sim = await startChatSim()
    folder = await mkdtemp(join(tmpdir(), 'rolecall-workers-'))
    database = await createDatabase('postgres')
    redis = await startRedis()
    environment = {
      ...environmentFor(sim, await freePort()),
      DATABASE_URL: database.url,
      CACHE_URL: redis.url,
      WORKERS: '2',
    }
  })
  afterAll(async () => {
    for (const service of services) await service.kill('SIGKILL')
    await redis.stop()
    await database.drop()
    await sim.close()
    await rm(folder, { recursive: true, force: true })
  })
  const started = (env: Record<string, string> = {}) => {
    const service = startService(folder, { ...environment, ...env })
    services.push(service)
    return service
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

    // A scrape tells of both, whichever it reaches.
    await Promise.all(Array.from({ length: 10 }, () => isAnswering(service)))
    for (let scrape = 0; scrape < 4; scrape++) {
      const answer = await fetch(`${service.url}/metrics`, { headers: { connection: 'close' } })
      expect(await answer.text()).toContain('route="/api/health/ready",status="200"} 10\n')
    }

    process.kill(before[0] as number, 'SIGKILL')
    await expect.poll(() => service.output()).toContain('another takes its place')
    for (let request = 0; request < 20; request++) expect(await isAnswering(service)).toBe(true)
    await expect.poll(() => timesListening(service)).toBe(3)
    const after = await workersOf(service)
    expect(after).toHaveLength(2)
    expect(after).toContain(before[1])

    expect(await service.kill('SIGTERM')).toBe(0)
    for (const pid of after) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    await expect(fetch(service.url)).rejects.toThrow()
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

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The children of the process, as Linux tells them. */
async function workersOf({ child: { pid } }: ServiceProcess): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.split(' ').filter(Boolean).map(Number)
}
