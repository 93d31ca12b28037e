import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type RedisServer, startRedis } from '../../../test/redis.ts'
import { startRelay } from '../../../test/relay.ts'
import type { Cache } from './cache.ts'
import { createRedisCache } from './redis-cache.ts'

const deadlineMs = 100
const probeDeadlineMs = 400
/** Two probes and the time between them: from then on it is an outage. */
const certainMs = 2 * probeDeadlineMs + 250
const recoveryMs = 1000
/** The delay that a busy machine may add; the client's defaults would add 10 s and more. */
const slackMs = 4_000

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Opens a cache, and collects the lines that it logs. */
function open(url: string) {
  const lines: { level: string; reason?: string }[] = []
  const formatters = { level: (level: string) => ({ level }) }
  const log = pino(
    { base: null, timestamp: false, formatters },
    { write: (line) => void lines.push(JSON.parse(line)) },
  )
  const cache = createRedisCache({ url, log })
  cleanups.push(() => cache.close())
  return { cache, lines, levels: () => lines.map((line) => line.level) }
}

async function serve(options: string[] = []): Promise<RedisServer> {
  const server = await startRedis(options)
  cleanups.push(() => server.stop())
  return server
}

/** Runs every operation once, together; returns the duration of the slowest. */
async function callAll(cache: Cache): Promise<{ answers: unknown[]; ms: number }> {
  const startedAt = performance.now()
  const answers = await Promise.all([
    cache.get('key'),
    cache.set('key', 'value', 1000),
    cache.count('counter', 1, 1000),
    cache.countUpTo('limited', 1, { limit: 1, from: 0, windowMs: 1000 }),
    cache.subtract('limited', 1),
    cache.publish('channel', 'message'),
  ])
  return { answers, ms: performance.now() - startedAt }
}

/** Resolves to true if all of them return without a wait: before the event loop turns once. */
function isRefusedAtOnce(cache: Cache): Promise<boolean> {
  return Promise.race([
    callAll(cache).then(({ answers }) => answers.every((answer) => answer === undefined)),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ])
}

const unreachable = Array.from({ length: 6 }, () => undefined)

async function untilUp(cache: Cache): Promise<number> {
  const startedAt = performance.now()
  await vi.waitFor(() => expect(cache.isUp()).toBe(true), { timeout: 5000, interval: 5 })
  return performance.now() - startedAt
}

describe('a server that is not there at the start', () => {
  test('is waited for without holding up any call, and found within a second of its coming', async () => {
    const server = await serve()
    await server.kill()
    const { cache, levels } = open(server.url)

    expect(await cache.ping()).toBe(false)
    expect(await isRefusedAtOnce(cache)).toBe(true)
    expect(levels()).toEqual(['warn'])

    await server.restart()
    expect(await untilUp(cache)).toBeLessThan(recoveryMs + slackMs)
    expect(await cache.ping()).toBe(true)
    expect(levels()).toEqual(['warn', 'info'])
  })

  test('is no reason to log anything when it is there', async () => {
    const server = await serve()
    const { cache, lines } = open(server.url)
    expect(await cache.ping()).toBe(true)
    expect(lines).toEqual([])
  })
})

describe('a server that hangs', () => {
  test('costs each call its deadline once, and nothing from then on', async () => {
    const server = await serve()
    const { cache, lines } = open(server.url)
    await cache.ping()
    server.pause()

    const first = await callAll(cache)
    expect(first.answers).toEqual(unreachable)
    expect(first.ms).toBeGreaterThanOrEqual(deadlineMs - 1)
    expect(first.ms).toBeLessThan(deadlineMs + slackMs)

    for (let round = 0; round < 100; round++) expect(await isRefusedAtOnce(cache)).toBe(true)
    expect(cache.isUp()).toBe(false)
    expect(await cache.ping()).toBe(false)
    expect(lines).toEqual([
      {
        level: 'warn',
        cache: `redis://127.0.0.1:${server.port}`,
        reason: `no answer within ${probeDeadlineMs} ms`,
        msg: 'cache unreachable: continuing without it',
      },
    ])
  })

  test('is found again within a second, and told of, after each outage', async () => {
    const server = await serve()
    const { cache, levels } = open(server.url)
    await cache.ping()
    for (const hungMs of [1500, 2500]) {
      server.pause()
      const resumeAt = performance.now() + hungMs
      await callAll(cache)
      await vi.waitUntil(() => performance.now() > resumeAt, { timeout: 5000 })
      expect(cache.isUp()).toBe(false)
      server.resume()
      expect(await untilUp(cache)).toBeLessThan(recoveryMs + slackMs)
      expect(await cache.count(`counter after ${hungMs}`, 1, 1000)).toBe(1)
    }
    expect(levels()).toEqual(['warn', 'info', 'warn', 'info'])
  })

  test('answers a ping with false as soon as it is certain, which leaves health its two seconds', async () => {
    const server = await serve()
    const { cache } = open(server.url)
    await cache.ping()
    server.pause()
    const startedAt = performance.now()
    expect(await cache.ping()).toBe(false)
    expect(performance.now() - startedAt).toBeLessThan(certainMs + slackMs)
    expect(certainMs).toBeLessThan(1_500)
  })
})

describe('a server that is only slower than we look', () => {
  test('is up, however many of its answers come after the callers’ deadline', async () => {
    const server = await serve()
    const network = await startRelay(`redis://127.0.0.1:${server.port}`)
    cleanups.push(() => network.close())
    const { cache, lines } = open(network.url.replace('http:', 'redis:'))
    expect(await cache.ping()).toBe(true)
    network.delay(150)
    for (let round = 0; round < 10; round++) {
      await cache.get('key')
      expect(await cache.ping()).toBe(true)
    }
    expect(lines).toEqual([])
  })

  test('is not away for a pause that a busy machine makes', async () => {
    const server = await serve()
    const { cache, lines } = open(server.url)
    await cache.ping()
    server.pause()
    const answer = cache.get('key')
    expect(await answer).toBeUndefined()
    server.resume()
    expect(await cache.ping()).toBe(true)
    expect(lines).toEqual([])
  })

  test('is not away because one connection was cut', async () => {
    const server = await serve()
    const network = await startRelay(`redis://127.0.0.1:${server.port}`)
    cleanups.push(() => network.close())
    const { cache, lines } = open(network.url.replace('http:', 'redis:'))
    await cache.ping()
    network.cut()
    network.mend()
    await vi.waitFor(() => expect(cache.isUp()).toBe(false), { interval: 1 })
    expect(await untilUp(cache)).toBeLessThan(recoveryMs + slackMs)
    expect(lines).toEqual([])
  })

  test('is not blamed when our own event loop was blocked past the deadline', async () => {
    const server = await serve()
    const { cache, lines } = open(server.url)
    await cache.ping()
    await cache.set('key', 'value', 60_000)

    const answer = cache.get('key')
    const blockedUntil = performance.now() + 3 * deadlineMs
    while (performance.now() < blockedUntil);

    expect(await answer).toBe('value')
    expect(lines).toEqual([])
  })
})

describe('a server that is killed', () => {
  test('fails what is under way without a rejection, logs one line, and is found again within a second', async () => {
    const server = await serve()
    const { cache, levels, lines } = open(server.url)
    await cache.ping()

    const underWay = Array.from({ length: 20 }, () => callAll(cache))
    await server.kill()
    for (const { ms } of await Promise.all(underWay)) expect(ms).toBeLessThan(deadlineMs + slackMs)
    await vi.waitFor(() => expect(cache.isUp()).toBe(false))
    expect(await isRefusedAtOnce(cache)).toBe(true)
    await vi.waitFor(() => expect(levels()).toEqual(['warn']))
    expect(lines[0]?.['reason']).toMatch(/^(not connected|connection closed|ECONN\w+)$/)

    await server.restart()
    expect(await untilUp(cache)).toBeLessThan(recoveryMs + slackMs)
    expect(levels()).toEqual(['warn', 'info'])
    // The script is new to the new server.
    expect(await cache.count('counter', 1, 1000)).toBe(1)
  })

  test('gets its subscriptions back', async () => {
    const server = await serve()
    const { cache } = open(server.url)
    await cache.ping()
    const heard: string[] = []
    const hears = (message: string) =>
      vi.waitFor(
        async () => {
          await cache.publish('news', message)
          expect(heard).toContain(message)
        },
        { timeout: 3000 },
      )
    cache.subscribe('news', (message) => heard.push(message))
    await hears('before')

    await server.restart()
    await hears('after a restart')

    server.pause()
    await cache.ping()
    await cache.ping()
    server.resume()
    await hears('after a pause')
  })

  test('gets a subscription made while it was down', async () => {
    const server = await serve()
    await server.kill()
    const { cache } = open(server.url)
    const heard: string[] = []
    cache.subscribe('news', (message) => heard.push(message))
    await server.restart()
    await vi.waitFor(
      async () => {
        await cache.publish('news', 'hello')
        expect(heard).toContain('hello')
      },
      { timeout: 3000 },
    )
  })
})

describe('a connection that goes silent while the server lives', () => {
  test('is given up for a new one, the subscriptions included', async () => {
    const server = await serve()
    const network = await relayTo(server.port)
    const { cache } = open(`redis://127.0.0.1:${network.port}`)
    await cache.ping()
    const heard: string[] = []
    cache.subscribe('news', (message) => heard.push(message))
    const hears = (message: string) =>
      vi.waitFor(
        async () => {
          await cache.publish('news', message)
          expect(heard).toContain(message)
        },
        { timeout: 3000 },
      )
    await hears('before')

    network.forgetConnections()
    expect(await cache.get('key')).toBeUndefined()
    expect(await untilUp(cache)).toBeLessThan(recoveryMs + slackMs)
    await hears('after')
  })

  test('is given up even if it never got as far as the greeting', async () => {
    const server = await serve()
    let isFirst = true
    const port = await listenWith((near) => {
      if (!isFirst) return relay(near, server.port)
      isFirst = false
      return near.resume()
    })
    const { cache, levels } = open(`redis://127.0.0.1:${port}`)
    expect(await cache.ping()).toBe(false)
    expect(await untilUp(cache)).toBeLessThan(recoveryMs + slackMs)
    expect(levels()).toEqual(['warn', 'info'])
  })
})

describe('a server that answers with errors', () => {
  let server: RedisServer
  let operator: Redis

  beforeEach(async () => {
    server = await serve()
    operator = new Redis(server.url)
    cleanups.push(() => operator.disconnect())
  })

  test.each([
    {
      reply: 'READONLY',
      begin: () => operator.replicaof('127.0.0.1', '1'),
      end: () => operator.replicaof('NO', 'ONE'),
    },
    {
      reply: 'OOM',
      begin: () => operator.config('SET', 'maxmemory', '1'),
      end: () => operator.config('SET', 'maxmemory', '0'),
    },
    {
      reply: 'NOPERM',
      begin: () => operator.acl('SETUSER', 'default', '-@scripting'),
      end: () => operator.acl('SETUSER', 'default', '+@scripting'),
    },
  ])(
    '$reply counts as unreachable, stays so without flapping, and is over within a second',
    async (fault) => {
      const { cache, lines, levels } = open(server.url)
      await cache.ping()

      await fault.begin()
      expect(await cache.count('counter', 1, 1000)).toBeUndefined()
      expect(lines).toMatchObject([{ level: 'warn', reason: fault.reply }])
      // Continues over several probes, with requests meanwhile.
      for (let round = 0; round < 20; round++) {
        expect(await cache.ping()).toBe(false)
        expect((await callAll(cache)).answers).toEqual(unreachable)
      }
      expect(levels()).toEqual(['warn'])

      await fault.end()
      expect(await untilUp(cache)).toBeLessThan(recoveryMs + slackMs)
      expect(levels()).toEqual(['warn', 'info'])
    },
  )

  test('a missing password is unreachable, until it is no longer asked for', async () => {
    await operator.config('SET', 'requirepass', 'a password')
    const { cache, lines } = open(server.url)
    expect(await cache.ping()).toBe(false)
    expect(lines).toMatchObject([{ level: 'warn', reason: 'NOAUTH' }])

    await operator.config('SET', 'requirepass', '')
    expect(await untilUp(cache)).toBeLessThan(recoveryMs + slackMs)
  })

  test('a wrong password never gets into the log', async () => {
    await operator.config('SET', 'requirepass', 'a password')
    const { cache, lines } = open(server.url.replace('//', '//default:sesame@'))
    expect(await cache.ping()).toBe(false)
    expect(lines).toMatchObject([{ reason: 'WRONGPASS', cache: `redis://127.0.0.1:${server.port}` }])
    expect(JSON.stringify(lines)).not.toContain('sesame')
  })

  test('a password that changes during use is the reason, and not the connection that it ended', async () => {
    await operator.config('SET', 'requirepass', 'a password')
    const { cache, lines } = open(server.url.replace('//', '//default:a%20password@'))
    expect(await cache.ping()).toBe(true)
    await operator.config('SET', 'requirepass', 'another one')
    await operator.call('CLIENT', 'KILL', 'SKIPME', 'yes')
    await vi.waitFor(() => expect(lines).toMatchObject([{ level: 'warn', reason: 'WRONGPASS' }]))

    await operator.config('SET', 'requirepass', 'a password')
    expect(await untilUp(cache)).toBeLessThan(recoveryMs + slackMs)
  })

  test('the right password is used', async () => {
    await operator.config('SET', 'requirepass', 'open sesame')
    const { cache } = open(server.url.replace('//', '//default:open%20sesame@'))
    expect(await cache.ping()).toBe(true)
  })

  test('a key of another type is that one key’s problem', async () => {
    await operator.lpush('rolecall:poisoned', 'item')
    const { cache, lines } = open(server.url)
    await cache.ping()
    expect(await cache.get('poisoned')).toBeUndefined()
    expect(await cache.count('poisoned', 1, 1000)).toBeUndefined()
    expect(cache.isUp()).toBe(true)
    expect(lines).toEqual([])
  })

  test('forgotten scripts are sent again', async () => {
    const { cache } = open(server.url)
    await cache.ping()
    expect(await cache.count('counter', 1, 60_000)).toBe(1)
    await operator.script('FLUSH')
    expect(await cache.count('counter', 1, 60_000)).toBe(2)
  })

  test('every key it leaves behind expires', async () => {
    const { cache } = open(server.url)
    await cache.ping()
    await callAll(cache)
    await cache.set('key', 'value', 1000)
    for (const key of await operator.keys('*')) expect(await operator.pttl(key)).toBeGreaterThan(0)
  })

  test('options in the URL’s query do not undo the limits', async () => {
    const { cache } = open(`${server.url}?lazyConnect=true&keyPrefix=mine:`)
    expect(await cache.ping()).toBe(true)
    expect(await operator.keys('*')).toEqual(['rolecall:probe'])
  })
})

describe('something that is not a cache', () => {
  test.each([
    ['closes every connection', (socket: Socket) => socket.end()],
    ['resets every connection', (socket: Socket) => socket.resetAndDestroy()],
    [
      'answers garbage',
      (socket: Socket) => socket.on('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')),
    ],
    ['sends half a reply', (socket: Socket) => socket.on('data', () => socket.end('$100\r\nhalf'))],
    [
      'answers every command with a number',
      (socket: Socket) => socket.on('data', () => socket.write(':1\r\n')),
    ],
    [
      'quotes commands in its errors',
      (socket: Socket) => socket.on('data', (sent) => socket.write(`-ERR unknown ${sent}`)),
    ],
    ['never answers', () => {}],
    ['is still loading', (socket: Socket) => socket.on('data', () => socket.write('-LOADING\r\n'))],
  ])(
    '%s: every call returns within its deadline and the log stays free of the password',
    async (_, behave) => {
      const port = await listenWith(behave)
      const { cache, lines } = open(`redis://default:sesame@127.0.0.1:${port}`)

      const startedAt = performance.now()
      await cache.ping()
      expect(performance.now() - startedAt).toBeLessThan(2 * probeDeadlineMs + slackMs)
      for (let round = 0; round < 20; round++)
        expect((await callAll(cache)).ms).toBeLessThan(deadlineMs + slackMs)
      expect(JSON.stringify(lines)).not.toContain('sesame')
    },
  )

  test('is noticed and logged once, even without requests', async () => {
    const port = await listenWith((socket) => socket.end())
    const { levels } = open(`redis://127.0.0.1:${port}`)
    await vi.waitFor(() => expect(levels()).toEqual(['warn']))
  })
})

/** Starts a server on 127.0.0.1 for one test; returns its port. */
async function listenWith(behave: (socket: Socket) => unknown): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    behave(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

function relay(near: Socket, target: number): Socket {
  const far = connect(target, '127.0.0.1').on('error', () => {})
  cleanups.push(() => far.destroy())
  near.pipe(far).pipe(near)
  return far
}

/** Starts a relay that can lose its connections without notice to either end, as a firewall does. */
async function relayTo(target: number): Promise<{ port: number; forgetConnections: () => void }> {
  const ends = new Set<Socket>()
  const port = await listenWith((near) => {
    ends.add(near).add(relay(near, target))
  })
  const forgetConnections = () => {
    for (const end of ends) end.unpipe().resume()
    ends.clear()
  }
  return { port, forgetConnections }
}
