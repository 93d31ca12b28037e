import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { demo } from '@rolecall/chat-sim'
import { afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { freePort } from '../../../../tools/free-port.js'
import { openDatabase } from '../../src/platform/db/open-database.ts'
import { copyTemplate, createDatabase } from '../databases.ts'
import { simForTests } from '../process-for-tests.ts'
import { type Environment, environmentFor, type ServiceProcess, startService } from './service-process.ts'

describe('rolecall serve', { timeout: 60_000 }, () => {
  const sim = simForTests()
  let folder: string
  let port: number
  let whole: Record<string, string>
  const running: ServiceProcess[] = []
  /** The variables of tests on PostgreSQL. With the embedded database, each start would take a second longer. */
  let onPostgres: Record<string, string>
  beforeAll(async () => {
    const database = await createDatabase('postgres')
    onPostgres = { DATABASE_URL: database.url, SINGLE_INSTANCE: 'true' }
    return () => database.drop()
  })
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rolecall-start-'))
    port = await freePort()
    whole = environmentFor(sim, port)
  })
  afterEach(async () => {
    for (const one of running.splice(0)) await one.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })

  const start = (environment: Environment) => {
    const service = startService(folder, { ...whole, ...environment })
    running.push(service)
    return service
  }
  const started = async (environment: Environment) => {
    const service = start(environment)
    await service.listening
    return service
  }
  const isOpen = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true))
      socket.once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
  const secrets = () =>
    Object.entries(whole)
      .filter(([name]) => /TOKEN|SECRET|KEY/.test(name))
      .map(([, value]) => value)
  const warnings = (service: ServiceProcess): string[] =>
    service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level === 40)
      .map(({ msg }) => msg)

  test('production with problems exits 1 before it opens a port, and lists all of them without a value', async () => {
    const bad = {
      CHAT_BOT_TOKEN: '',
      CHAT_CLIENT_ID: 'planted-client-id',
      CHAT_GUILD_ID: undefined,
      OUTBOUND_WEBHOOK_ENCRYPTION_KEY: 'planted-key',
      PORT: String(port),
      DATABASE_URL: 'mysql://u:planted-password@h/d',
    }
    const service = start({ ...bad, NODE_ENV: 'production' })
    expect(await service.ended).toBe(1)
    const lines = service.output().trim().split('\n').sort()
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      'CHAT_BOT_TOKEN',
      'CHAT_CLIENT_ID',
      'CHAT_GUILD_ID',
      'DATABASE_URL',
      'OUTBOUND_WEBHOOK_ENCRYPTION_KEY',
    ])
    for (const secret of [...secrets(), 'planted']) expect(service.output()).not.toContain(secret)
    expect(service.output()).not.toContain('listening')
    expect(await isOpen()).toBe(false)
  })

  test('elsewhere the same problems are one warning each, and it starts', async () => {
    const service = await started({
      ...onPostgres,
      CHAT_BOT_TOKEN: '',
      CHAT_CLIENT_ID: 'planted-client-id',
      OUTBOUND_WEBHOOK_ENCRYPTION_KEY: 'planted-key',
    })
    expect(
      warnings(service)
        .map((line) => line.split(' ')[0])
        .sort(),
    ).toEqual(['CHAT_BOT_TOKEN', 'CHAT_CLIENT_ID', 'OUTBOUND_WEBHOOK_ENCRYPTION_KEY'])
    expect(service.output()).not.toContain('planted')
    expect((await fetch(`${service.url}/api/health`)).status).toBe(200)
  })

  test('what it prints is its log, also while it loads what only some requests need', async () => {
    const service = await started(onPostgres)
    const discovery = await fetch(`${service.url}/.well-known/openid-configuration`)
    expect(discovery.status).toBe(200)
    const lines = service.output().trim().split('\n')
    expect(lines.filter((line) => !line.startsWith('{'))).toEqual([])
  })

  test('elsewhere it starts with nothing set, and warns of what is missing', async () => {
    await copyTemplate(join(folder, 'data'))
    const nothing = Object.fromEntries(Object.keys(whole).map((name) => [name, undefined]))
    const service = await started({ ...nothing, DATABASE_URL: 'pglite:data', PORT: String(port) })
    const missing = warnings(service).map((line) => line.split(' ')[0])
    for (const name of ['CHAT_BOT_TOKEN', 'CHAT_CLIENT_ID', 'CHAT_CLIENT_SECRET', 'CHAT_CALLBACK_URL']) {
      expect(missing).toContain(name)
    }
    expect(missing).toContain('`rolecall')
    expect(service.output()).not.toMatch(/^\s+at /m)
    expect((await fetch(`${service.url}/api/health`)).status).toBe(200)
  })

  test('an unknown NODE_ENV is production', async () => {
    expect(await start({ NODE_ENV: 'prod', CHAT_BOT_TOKEN: '' }).ended).toBe(1)
  })

  test('a complete production environment starts without a warning', async () => {
    await copyTemplate(join(folder, 'data'))
    expect(warnings(await started({ NODE_ENV: 'production' }))).toEqual([])
  })

  test('a .env file counts, and the environment counts more', async () => {
    await writeFile(join(folder, '.env'), `CHAT_BOT_TOKEN=from-the-file\nCHAT_CLIENT_ID=not-an-id\n`)
    const service = await started({ ...onPostgres, CHAT_BOT_TOKEN: undefined })
    expect(warnings(service)).toEqual([])
    expect(service.output()).not.toContain('from-the-file')
  })

  test('a stored main server that differs ends a production start, and is a warning elsewhere', async () => {
    await (await started(onPostgres)).kill('SIGTERM')
    const production = start({ ...onPostgres, NODE_ENV: 'production', CHAT_GUILD_ID: demo.gamesGuildId })
    expect(await production.ended).toBe(1)
    expect(production.output()).toContain(
      `CHAT_GUILD_ID is ${demo.gamesGuildId}, but the stored main server is ${demo.mainGuildId}`,
    )
    expect(production.output().trim().split('\n').at(-1)).not.toMatch(/^\s+at /)
    const elsewhere = await started({ ...onPostgres, CHAT_GUILD_ID: demo.gamesGuildId })
    expect(warnings(elsewhere)).toEqual([expect.stringContaining('the stored main server is')])
  })

  test('a port in use is said in one line, with the way out', async () => {
    const holder = createServer().listen(port, '127.0.0.1')
    const service = start(onPostgres)
    expect(await service.ended).toBe(1)
    holder.close()
    expect(service.output().trim().split('\n').at(-1)).toBe(
      `Port ${port} is in use. Stop the program that listens there, or choose another port: PORT=${port + 1}.`,
    )
  })

  test('a second process on one data folder is refused with a clear sentence, and the first one goes on', async () => {
    await copyTemplate(join(folder, 'data'))
    const first = await started({})
    const second = startService(folder, { ...whole, PORT: String(await freePort()) })
    running.push(second)
    expect(await second.ended).toBe(1)
    expect(second.output()).toMatch(/^The data folder \S+ is in use by another Rolecall process\./m)
    expect(second.output()).not.toMatch(/^\s+at /m)
    expect((await fetch(`${first.url}/api/health`)).status).toBe(200)
  })

  test('an address of a database or cache that cannot be read ends the start, and its password is not told', async () => {
    const addresses = {
      DATABASE_URL: 'postgres://app:planted-pass@db.example:notaport/app',
      CACHE_URL: 'redis://:planted-pass@cache.example:notaport',
    }
    const service = start({ ...addresses, NODE_ENV: 'production' })
    expect(await service.ended).toBe(1)
    const lines = service.output().trim().split('\n').sort()
    expect(lines.map((line) => line.split(' must be ')[0])).toEqual(['CACHE_URL', 'DATABASE_URL'])
    expect(service.output()).not.toContain('planted')
  })

  /** Returns the lines for people: all lines except the log, which is JSON. */
  const plain = (service: ServiceProcess) =>
    service
      .output()
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{'))

  test('production refuses what exposes it, one line each, all at once', async () => {
    const service = start({
      NODE_ENV: 'production',
      PUBLIC_URL: undefined,
      CHAT_API_URL: 'http://discord.example/api',
      OUTBOUND_WEBHOOK_ENCRYPTION_KEY: '0'.repeat(64),
      INBOUND_WEBHOOK_ENCRYPTION_KEY: '0123456789abcdef'.repeat(4),
      METRICS_TOKEN: 'planted-short',
      TRUST_PROXY: '10.0.0.0/8, planted',
      HOST: '203.0.113.7',
    })
    expect(await service.ended).toBe(1)
    expect(
      plain(service)
        .map((line) => line.split(' ')[0])
        .sort(),
    ).toEqual([
      'CHAT_API_URL',
      'HOST',
      'INBOUND_WEBHOOK_ENCRYPTION_KEY',
      'METRICS_TOKEN',
      'OUTBOUND_WEBHOOK_ENCRYPTION_KEY',
      'PUBLIC_URL',
      'TRUST_PROXY',
    ])
    expect(service.output()).not.toContain('planted')
    expect(await isOpen()).toBe(false)
  })

  test('a PUBLIC_URL of another origin than CHAT_CALLBACK_URL ends a production start', async () => {
    for (const url of ['https://id.example', `http://localhost:${port}`]) {
      const service = start({ NODE_ENV: 'production', PUBLIC_URL: url })
      expect(await service.ended).toBe(1)
      expect(plain(service)).toEqual([
        expect.stringMatching(/^PUBLIC_URL and CHAT_CALLBACK_URL must have the same origin/),
      ])
    }
  })

  test('an address of which no part can mend itself is one line at once, without a stack', async () => {
    const [server] = inject('postgresUrl').split(/(?<=@[^/]+)\//)
    const wrong: [string, RegExp][] = [
      [`${server}/not_there`, /does not have the database of DATABASE_URL/],
      [
        `${server?.replace(/:[^:@]+@/, ':planted-password@')}/postgres`,
        /rejects the password of DATABASE_URL/,
      ],
      [`${server?.replace(/\/\/[^:]+:/, '//nobody_of_that_name:')}/postgres`, /has no role of that name/],
      [`${server?.replace(/:[^:@]+@/, '@')}/postgres`, /requires a password|rejects the password/],
    ]
    await writeFile(join(folder, 'a-file'), '')
    wrong.push(['pglite:a-file', /data folder a-file cannot be used: a file has this name\. Move the file/])
    await Promise.all(
      wrong.map(async ([url, line]) => {
        const service = start({
          NODE_ENV: 'production',
          DATABASE_URL: url,
          CACHE_URL: 'memory:',
          SINGLE_INSTANCE: 'true',
        })
        expect(await service.ended, url).toBe(1)
        expect(plain(service), url).toEqual([expect.stringMatching(line)])
        expect(service.output()).not.toContain('planted')
      }),
    )
  })

  test('a database that accepts no writes yet is waited for, on every connection', async () => {
    const database = await createDatabase('postgres')
    const name = new URL(database.url).pathname.slice(1)
    const setReadOnly = async (value: 'on' | 'off') => {
      const db = await openDatabase(inject('postgresUrl'))
      await db.script(`alter database "${name}" set default_transaction_read_only = ${value}`)
      await db.close()
    }
    await setReadOnly('on')
    const service = start({ DATABASE_URL: database.url, SINGLE_INSTANCE: 'true' })
    await vi.waitFor(
      () => expect(warnings(service)).toContain('database read-only: writes return 503'),
      20_000,
    )
    await setReadOnly('off')
    await service.listening
    expect(plain(service)).toEqual([])
    await service.kill('SIGKILL')
    await database.drop()
  })

  test('as PID 1 of a container, where no signal ends a process by itself, it stops also while it starts', async () => {
    const script = `Object.defineProperty(process, 'pid', { value: 1 })`
    const asFirst = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` }
    const starting = start({ ...onPostgres, ...asFirst, DATABASE_URL: 'postgres://u:p@127.0.0.1:1/d' })
    await expect.poll(starting.output, { timeout: 60_000 }).toContain('database unreachable')
    expect(await starting.kill('SIGTERM')).toBe(143)
    const service = await started({ ...onPostgres, ...asFirst })
    expect(await service.kill('SIGINT')).toBe(0)
  })

  test('HOST that is not of this machine, and a .env that cannot be read, are one line', async () => {
    for (const host of ['203.0.113.7', 'nowhere.invalid']) {
      const service = start({ ...onPostgres, HOST: host })
      expect(await service.ended).toBe(1)
      expect(plain(service)).toEqual([expect.stringMatching(/^HOST /)])
    }
    await mkdir(join(folder, '.env'))
    const service = start({})
    expect(await service.ended).toBe(1)
    expect(plain(service)).toEqual([expect.stringMatching(/^The file \.env cannot be read/)])
  })
})
