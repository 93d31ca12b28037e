import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../../tools/free-port.js'
import { copyTemplate } from '../databases.ts'
import { folderForTests, simForTests } from '../process-for-tests.ts'
import { environmentFor, type ServiceProcess, startService } from './service-process.ts'

/** The time between two pauses. It is shorter than the interval of the service's checks, so that each check is late. */
const runsForMs = 200

describe('a service that gets too little of the processor', { timeout: 120_000 }, () => {
  const sim = simForTests()
  const folder = folderForTests('rolecall-overload-')
  let service: ServiceProcess
  let pauseMs = 0
  let pausing: Promise<void>
  let isOver = false
  beforeAll(async () => {
    await copyTemplate(join(folder, 'data'))
    service = startService(folder, environmentFor(sim, await freePort()))
    await service.listening
    pausing = pauseAgainAndAgain()
  })
  afterAll(async () => {
    isOver = true
    await pausing
    await service.kill('SIGKILL')
  })
  /** Suspends the process for most of the time, as a busy operating system does. */
  const pauseAgainAndAgain = async () => {
    while (!isOver) {
      if (pauseMs > 0) {
        service.child.kill('SIGSTOP')
        await sleep(pauseMs)
        service.child.kill('SIGCONT')
      }
      await sleep(runsForMs)
    }
  }
  /** Sends a request of each kind at the same time, and returns the responses. */
  const answers = async () => {
    const ask = async (path: string, init: RequestInit = {}) => {
      const { status, headers } = await fetch(`${service.url}${path}`, init)
      return [status, headers.get('retry-after')] as const
    }
    const [login, validate, health, live] = await Promise.all([
      ask('/api/auth/authorize'),
      ask('/api/auth/validate', { method: 'POST' }),
      ask('/api/health'),
      ask('/api/health/live'),
    ])
    return { login, validate, health, live }
  }
  const soon = { timeout: 60_000, interval: 50 }
  const served = {
    login: [400, null],
    validate: [401, null],
    health: [200, null],
    live: [200, null],
  }

  test('refuses new work first, then validate, never health, and recovers by itself', async () => {
    expect(await answers()).toEqual(served)

    pauseMs = 1_500
    await expect.poll(answers, soon).toEqual({ ...served, login: [503, '5'] })

    pauseMs = 3_800
    await expect.poll(answers, soon).toEqual({ ...served, login: [503, '5'], validate: [503, '5'] })

    pauseMs = 0
    await expect.poll(answers, soon).toEqual(served)
    await expect.poll(() => service.output(), soon).toContain('pressure ended: accepting all requests')
    expect(service.output()).not.toContain('"level":50')
  })
})
