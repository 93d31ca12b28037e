import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../../../tools/free-port.js'
import { type RedisServer, startRedis } from '../../../test/redis.ts'
import { createCache } from './create-cache.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function open(url: string) {
  const lines: string[] = []
  const cache = createCache(url, { log: pino({ base: null }, { write: (line) => void lines.push(line) }) })
  cleanups.push(() => cache.close())
  return { cache, lines }
}

async function serve(options: string[] = []): Promise<RedisServer> {
  const server = await startRedis(options)
  cleanups.push(() => server.stop())
  return server
}

/** A server's answer, over a connection of its own. */
async function ask<T>(port: number, work: (redis: Redis) => Promise<T>, password = ''): Promise<T> {
  const redis = new Redis({ port, password })
  try {
    return await work(redis)
  } finally {
    redis.disconnect()
  }
}

const patience = { timeout: 30_000, interval: 50 }

describe('redis+sentinel://', () => {
  async function startSentinel(primary: RedisServer): Promise<number> {
    const folder = await mkdtemp(join(tmpdir(), 'rolecall-sentinel-'))
    const port = await freePort()
    const file = join(folder, 'sentinel.conf')
    const watched = [
      `sentinel monitor main 127.0.0.1 ${primary.port} 1`,
      'sentinel down-after-milliseconds main 2000',
      'sentinel failover-timeout main 2000',
    ]
    await writeFile(file, [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, ...watched].join('\n'))
    const child: ChildProcess = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' })
    const end = () => child.kill('SIGKILL')
    process.once('exit', end)
    cleanups.push(async () => {
      process.off('exit', end)
      child.kill('SIGKILL')
      await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    })
    return port
  }

  test('is the primary that they name; when it dies, the one that they promote, with what is subscribed', async () => {
    const primary = await serve()
    const standby = await serve(['--replicaof', '127.0.0.1', String(primary.port)])
    const sentinel = await startSentinel(primary)
    await vi.waitFor(async () => {
      const [known] = (await ask(sentinel, (redis) =>
        redis.call('SENTINEL', 'REPLICAS', 'main'),
      )) as string[][]
      expect(known).toContain('slave')
    }, patience)
    // One of them is not there: it is passed over.
    const url = `redis+sentinel://127.0.0.1:1,127.0.0.1:${sentinel}/main`
    const { cache, lines } = open(url)
    await vi.waitFor(() => expect(cache.isUp()).toBe(true), patience)
    const heard: string[] = []
    cache.subscribe('news', (message) => void heard.push(message))
    const toldOf = (message: string) =>
      vi.waitFor(async () => {
        await cache.publish('news', message)
        expect(heard).toContain(message)
      }, patience)
    await toldOf('before')
    await vi.waitFor(async () => {
      await cache.set('key', 'value', 60_000)
      expect(await ask(primary.port, (redis) => redis.get('rolecall:key'))).toBe('value')
    }, patience)

    await primary.kill()
    await vi.waitFor(async () => {
      await cache.set('key', 'another', 60_000)
      expect(await cache.get('key')).toBe('another')
    }, patience)
    expect(await ask(standby.port, (redis) => redis.get('rolecall:key'))).toBe('another')
    await toldOf('after')
    expect(lines.join('')).toContain(`main of the sentinels 127.0.0.1:1, 127.0.0.1:${sentinel}`)
  }, 120_000)
})

describe('redis+cluster://', () => {
  const slots = 16_384
  const password = 'secret%'
  const admin = <T>({ port }: RedisServer, work: (redis: Redis) => Promise<T>) => ask(port, work, password)

  async function startNode(): Promise<{ server: RedisServer; busPort: number }> {
    const busPort = await freePort()
    const bus = ['--cluster-port', String(busPort), '--cluster-node-timeout', '2000']
    const secrets = ['--requirepass', password, '--masterauth', password]
    return { server: await serve(['--cluster-enabled', 'yes', ...bus, ...secrets]), busPort }
  }

  /** Starts three nodes that share the keys, and a replica of the last of them. */
  async function startCluster(): Promise<readonly [first: RedisServer, last: RedisServer]> {
    const [first, second, last, standIn] = [
      await startNode(),
      await startNode(),
      await startNode(),
      await startNode(),
    ]
    for (const [i, { server }] of [first, second, last].entries()) {
      const [from, to] = [Math.ceil((slots * i) / 3), Math.ceil((slots * (i + 1)) / 3) - 1]
      await admin(server, (redis) => redis.call('CLUSTER', 'ADDSLOTSRANGE', from, to))
    }
    for (const { server, busPort } of [second, last, standIn])
      await admin(first.server, (redis) => redis.call('CLUSTER', 'MEET', '127.0.0.1', server.port, busPort))
    const id = String(await admin(last.server, (redis) => redis.call('CLUSTER', 'MYID')))
    await vi.waitFor(() => admin(standIn.server, (redis) => redis.call('CLUSTER', 'REPLICATE', id)), patience)
    for (const { server } of [first, second, last, standIn]) {
      await vi.waitFor(async () => {
        const state = await admin(server, (redis) => redis.call('CLUSTER', 'INFO'))
        expect(state).toMatch(/cluster_state:ok[\s\S]*cluster_known_nodes:4/)
      }, patience)
    }
    await vi.waitFor(async () => {
      const state = await admin(standIn.server, (redis) => redis.call('INFO', 'replication'))
      expect(state).toContain('master_link_status:up')
    }, patience)
    return [first.server, last.server]
  }

  test('keeps keys on all nodes; when one dies, its stand-in has its keys', async () => {
    const [first, last] = await startCluster()
    // A missing node: the others report all of them.
    const { cache, lines } = open(`redis+cluster://:secret%25@127.0.0.1:1,127.0.0.1:${first.port}`)
    await vi.waitFor(() => expect(cache.isUp()).toBe(true), patience)
    const keys = Array.from({ length: 100 }, (_, i) => `key-${i}`)
    const untilAllAreKept = () =>
      vi.waitFor(async () => {
        for (const key of keys) await cache.set(key, key, 120_000)
        expect(await Promise.all(keys.map((key) => cache.get(key)))).toEqual(keys)
      }, patience)
    await untilAllAreKept()
    // A late answer counts as none: on a busy machine the test retries, with another key.
    let turn = 0
    await vi.waitFor(async () => {
      turn += 1
      expect(await cache.count(`counter-${turn}`, 2, 60_000)).toBe(2)
    }, patience)
    const heard: string[] = []
    cache.subscribe('news', (message) => void heard.push(message))
    const untilTold = (message: string) =>
      vi.waitFor(async () => {
        await cache.publish('news', message)
        expect(heard).toContain(message)
      }, patience)
    await untilTold('before')

    await last.kill()
    await untilAllAreKept()
    await untilTold('after')
    expect(lines.join('')).not.toContain('secret')
  }, 180_000)
})
