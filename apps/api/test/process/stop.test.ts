import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { demo } from '@rolecall/chat-sim'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../../../../tools/free-port.js'
import { call } from '../client.ts'
import { copyTemplate, createDatabase } from '../databases.ts'
import { atPlatform, Browser, openLogin, walkLogin } from '../given.ts'
import { folderForTests, simForTests } from '../process-for-tests.ts'
import { LogSweep } from '../secrets.ts'
import { environmentFor, type ServiceProcess, startService } from './service-process.ts'

interface Pair {
  readonly token: string
  readonly refreshToken: string
}

/** Longer than the default, so that requests fall into each step of the drain even on a busy machine. */
const drainSec = 4

/** Uses an embedded database, like the demo and small installations. Acknowledged changes must be on the disk. */
describe('rolecall serve on an embedded database', { timeout: 90_000 }, () => {
  const sim = simForTests({ headlessLogin: true })
  const folder = folderForTests('rolecall-stop-')
  let environment: Record<string, string>
  let service: ServiceProcess
  const start = async () => {
    service = startService(folder, environment)
    await service.listening
  }
  beforeAll(async () => {
    await copyTemplate(join(folder, 'data'))
    const port = await freePort()
    environment = { ...environmentFor(sim, port), LOG_LEVEL: 'debug', DRAIN_SEC: String(drainSec) }
    sim.allowRedirect(environment['CHAT_CALLBACK_URL'] as string)
  })
  // Most tests stop the service, but a failed test may have left it running.
  beforeEach(start)
  afterEach(() => service.kill('SIGKILL'))

  const login = async (): Promise<Pair> => {
    const end = await walkLogin({ url: service.url, sim }, '/api/auth/admin/login', { as: demo.users.mara })
    const code = new URLSearchParams(end.hash.slice(1)).get('code')
    return (await call(service.url, 'POST', '/api/auth/admin/token', { body: { code } })).body
  }
  const refresh = async ({ token, refreshToken }: Pair): Promise<Pair> => {
    const { status, body } = await call(service.url, 'POST', '/api/auth/token/refresh', {
      token,
      body: { refreshToken },
    })
    if (status !== 200) throw new Error(`refresh answered ${status} ${body.code}`)
    return { token: body.accessToken, refreshToken: body.refreshToken }
  }
  const timesAskedAgain = () => service.output().split('already stopping').length - 1
  const statusOf = async ({ token }: Pair) =>
    (await call(service.url, 'GET', '/api/auth/sessions', { token })).status

  test('signals to other programs change nothing: of a debugger, and of a tool that rotates log files', async () => {
    const pair = await login()
    for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) service.kill(signal)
    await sleep(300)
    expect(await statusOf(pair)).toBe(200)
    expect(service.output()).not.toContain('Debugger listening')
  })

  test('killed at any moment it loses no answered write: what was given is good, what was ended stays ended', async () => {
    for (let round = 0; round < 3; round++) {
      const ended = await login()
      await call(service.url, 'POST', '/api/auth/admin/logout', { token: ended.token })
      /**
       * The newest pair that each client received. `isAsking` is true if another refresh was in progress at the end.
       */
      const holders = await Promise.all(
        Array.from({ length: 5 }, async () => ({ pair: await login(), isAsking: false })),
      )
      let answered = 0
      const working = holders.map(async (holder) => {
        for (;;) {
          holder.isAsking = true
          try {
            holder.pair = await refresh(holder.pair)
          } catch {
            return
          }
          holder.isAsking = false
          answered += 1
        }
      })
      await expect.poll(() => answered, { timeout: 20_000, interval: 1 }).toBeGreaterThan(10 + round * 7)
      await service.kill('SIGKILL')
      await Promise.all(working)

      await start()
      expect(await statusOf(ended)).toBe(401)
      for (const { pair, isAsking } of holders) {
        // Without a response, the refresh may have taken effect or not, and both must be consistent: the old pair is
        // valid, or it was just superseded.
        if ((await statusOf(pair)) === 200) expect(await statusOf(await refresh(pair))).toBe(200)
        else {
          expect(isAsking).toBe(true)
          await expect(refresh(pair)).rejects.toThrow('401 REFRESH_TOKEN_SUPERSEDED')
        }
      }
    }
  })

  test('asked to stop, it finishes what is under way, takes nothing new, and exits 0', async () => {
    const browser = new Browser(service.url)
    const back = await atPlatform(await openLogin(browser, '/api/auth/admin/login'), { as: demo.users.mara })
    sim.failNext('token', { delayMs: 700 })
    const underWay = browser.get(back)
    await expect.poll(() => sim.journal.entries('token').at(-1)?.status, { interval: 5 }).toBeUndefined()
    const ended = service.kill('SIGTERM')
    const reply = await underWay
    expect(reply.status).toBe(302)
    expect(reply.headers.get('location')).toContain('#code=rcc_')
    expect(await ended).toBe(0)
    await expect(fetch(`${service.url}/api/health`)).rejects.toThrow()

    // A completed exchange is stored, so the credentials of the last response are valid after the next start.
    await start()
    const code = new URLSearchParams((reply.headers.get('location') ?? '').split('#')[1]).get('code')
    expect((await call(service.url, 'POST', '/api/auth/admin/token', { body: { code } })).status).toBe(200)
  })

  // These tests do not concern data on the disk, and each start takes a second longer with an embedded database.
  describe('or on another', () => {
    beforeAll(async () => {
      const database = await createDatabase('postgres')
      environment = { ...environment, DATABASE_URL: database.url }
      return () => database.drop()
    })

    test('asked again and again, by any signal, it stops once: open requests are answered', async () => {
      const browser = new Browser(service.url)
      const back = await atPlatform(await openLogin(browser, '/api/auth/admin/login'), {
        as: demo.users.mara,
      })
      sim.failNext('token', { delayMs: 1_000 })
      const underWay = browser.get(back)
      await expect.poll(() => sim.journal.entries('token').at(-1)?.status, { interval: 5 }).toBeUndefined()
      const ended = service.kill('SIGTERM')
      // Waits for each signal before it sends the next one, because the system may merge equal signals.
      await expect.poll(service.output, { interval: 5 }).toContain('"msg":"stopping"')
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGTERM'] as const) {
        const before = timesAskedAgain()
        service.child.kill(signal)
        await expect.poll(timesAskedAgain, { interval: 5 }).toBe(before + 1)
      }
      expect((await underWay).headers.get('location')).toContain('#code=rcc_')
      expect(await ended).toBe(0)
    })

    test('SIGTERM: ready says no and answers end their connections while new ones are still served; then it refuses', async () => {
      await call(service.url, 'GET', '/api/health/live')
      const ended = service.kill('SIGTERM')
      const ready = () => fetch(`${service.url}/api/health/ready`)
      await expect.poll(async () => (await ready()).status, { interval: 5 }).toBe(503)
      // Pages and metrics are sent outside of the router, but must end their connections, too.
      for (const path of [
        '/api/health/live',
        '/api/docs/errors',
        '/metrics',
        '/api/auth/sessions',
        '/nowhere',
      ]) {
        const answer = await fetch(`${service.url}${path}`, { redirect: 'manual' })
        expect([path, answer.headers.get('connection')]).toEqual([path, 'close'])
        expect(answer.status).toBeLessThan(500)
      }
      expect(await (await ready()).json()).toEqual({ status: 'not_ready', reason: 'shutting down' })
      expect(await ended).toBe(0)
      await expect(ready()).rejects.toThrow()
    })

    test('event streams end at the signal, and their clients know when to come back', async () => {
      const { apiKey } = (
        await call(service.url, 'POST', '/api/admin/projects', {
          token: (await login()).token,
          body: { name: 'Harbour' },
        })
      ).body
      const stream = await fetch(`${service.url}/api/events`, { headers: { 'x-api-key': apiKey } })
      expect(stream.status).toBe(200)
      const ended = service.kill('SIGTERM')
      expect(await stream.text()).toMatch(/^retry: \d+\n/)
      // The drain has only begun.
      expect((await fetch(`${service.url}/api/health/ready`)).status).toBe(503)
      expect(await ended).toBe(0)
    })

    // If the machine has no processor time for a second, a tested step may get no request. A defect fails in each
    // attempt.
    test('a connection is ended when it has had no request for a while, and never before its answer', {
      retry: 3,
    }, async () => {
      const { port } = new URL(service.url)
      const idle = connect(Number(port), '127.0.0.1')
      await once(idle, 'connect')
      // The end of the connection is reported only when everything before it was read.
      idle.resume()
      const closed = once(idle, 'close').then(() => performance.now())
      const since = performance.now()
      const ended = service.kill('SIGTERM')
      // The connection is kept for the last request before the listener closes, and ends with the next request.
      const answers: string[] = []
      const busy = new Agent({ keepAlive: true, maxSockets: 1 })
      try {
        for (;;) {
          answers.push(await connectionOf(`${service.url}/api/health/live`, busy))
          // Pauses, because polling would otherwise take processor time from the service.
          await sleep(5)
        }
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe('ECONNREFUSED')
      }
      expect(answers).toContain('close')
      expect(answers.lastIndexOf('keep-alive')).toBe(answers.length - 2)
      expect(answers.at(-1)).toBe('close')
      // Timers may fire a millisecond early.
      expect((await closed) - since).toBeGreaterThan(drainSec * 1_000 - 100)
      expect(await ended).toBe(0)
    })

    test('a client that never sends the rest of its request does not cost what others were answered', async () => {
      const stalled = connect(Number(new URL(service.url).port), '127.0.0.1')
      stalled.on('error', () => {})
      stalled.write('POST /api/auth/validate HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{')
      await expect.poll(() => stalled.bytesWritten).toBeGreaterThan(0)
      await call(service.url, 'GET', '/api/health/live')
      expect(await service.kill('SIGINT')).toBe(0)
      expect(service.output()).toContain('connections closed: requests or responses were not finished')
    })

    test('SIGINT is a stop as well, and an idle keep-alive connection does not hold it up', async () => {
      await (await fetch(`${service.url}/api/health`)).text()
      const since = performance.now()
      expect(await service.kill('SIGINT')).toBe(0)
      expect(performance.now() - since).toBeLessThan(3_000)
    })

    test('at the level debug, not one line that it printed holds a secret', async () => {
      const planted = Object.entries(environment)
        .filter(([name]) => /TOKEN|SECRET|KEY/.test(name))
        .map(([, value]) => value)
      await login()
      const sweep = new LogSweep(planted)
      for (const line of service.output().split('\n')) sweep.write(`${line}\n`)
      expect(sweep.lines.length).toBeGreaterThan(1)
      sweep.expectNoSecrets()
    })
  })
})

/** Sends a request, and returns the connection header of the response. */
const connectionOf = (url: string, agent: Agent) =>
  new Promise<string>((resolve, reject) => {
    get(url, { agent }, (answer) => {
      answer.resume().once('end', () => resolve(answer.headers.connection ?? ''))
      answer.once('close', () => reject(new Error('An answer was cut off.')))
    }).once('error', reject)
  })
