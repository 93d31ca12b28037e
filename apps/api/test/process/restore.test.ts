import { chmodSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type ChatSim, startChatSim } from '@rolecall/chat-sim'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../../tools/free-port.js'
import { commandsOfPage, read } from '../../../../tools/shown/collect.ts'
import { noteSkipped } from '../../../../tools/shown/notes.ts'
import { path, runShown } from '../../../../tools/shown/run.ts'
import { call } from '../client.ts'
import { runCommand } from '../command.ts'
import { copyTemplate } from '../databases.ts'
import { authorizePath, redirectUri, validate, walkLogin } from '../given.ts'
import { bin, startCluster } from './postgres-cluster.ts'
import { environmentFor, startService } from './service-process.ts'

/** Advances the transaction counter far beyond that of a new cluster. */
async function spendTransactions(url: string) {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(
    'do $$ begin for i in 1..20000 loop perform pg_current_xact_id(); commit; end loop; end $$',
  )
  await client.end()
}

let sim: ChatSim
beforeAll(async () => {
  sim = await startChatSim({ headlessLogin: true })
  return () => sim.close()
})

/** A way to back up the data, with the commands of the guide. */
interface Way {
  readonly url: string
  backup(): Promise<void>
  /** Deletes all data, and restores the backup. Returns the new database URL. */
  wipeAndRestore(): Promise<string>
  end(): Promise<void>
}

const guide = 'docs/guides/backup.md'
const [dump = '', renameOld = '', fromDump = '', backup = '', restore = '', ...after] = commandsOfPage(
  guide,
  read(guide),
)
  .filter(({ isBlock }) => isBlock)
  .map(({ text }) => text)

const embedded = (folder: string): Way => ({
  url: 'pglite:data',
  backup: async () => {
    await runShown(backup, { cwd: folder, env: { DATABASE_URL: 'pglite:data' } })
  },
  wipeAndRestore: async () => {
    const env = { DATABASE_URL: 'pglite:data' }
    const refused = await runCommand(folder, ['restore', 'rolecall.tar.gz'], env)
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^data already contains a database/),
    })
    await rm(join(folder, 'data'), { recursive: true })
    const done = await runShown(restore, { cwd: folder, env })
    expect(done).toContain('rolecall sessions revoke --all')
    return 'pglite:data'
  },
  end: async () => {},
})

const ways: Record<string, (folder: string) => Promise<Way>> = {
  pglite: async (folder) => {
    await copyTemplate(join(folder, 'data'))
    return embedded(folder)
  },
  postgres: async (folder) => {
    const first = await startCluster(join(folder, 'first'))
    const admin = new pg.Client(first.url.replace(/rolecall$/, 'postgres'))
    await admin.connect()
    await admin.query('create database rolecall')
    await admin.end()
    const clusters = [first]
    const { url } = first
    await spendTransactions(url)
    return {
      url,
      backup: async () => {
        await runShown(dump, { cwd: folder, env: { PATH: `${bin}:${path}`, DATABASE_URL: url } })
      },
      wipeAndRestore: async () => {
        const second = await startCluster(join(folder, 'second'))
        clusters.push(second)
        const { port } = new URL(second.url)
        const server = { PGHOST: '127.0.0.1', PGPORT: port, PGUSER: 'rolecall' }
        const env = { PATH: `${bin}:${path}`, DATABASE_URL: second.url, ...server }
        await runShown('createdb rolecall', { cwd: folder, env })
        await runShown(renameOld, { cwd: folder, env })
        await runShown(fromDump, { cwd: folder, env })
        return second.url
      },
      end: async () => {
        for (const { stop } of clusters) stop()
      },
    }
  },
}

describe.each(Object.entries(ways))('a backup on %s, made and put back as the guide says', (engine, open) => {
  if (engine === 'postgres' && !bin)
    for (const text of [dump, renameOld, fromDump]) noteSkipped(text, 'pg_dump is missing')

  test.skipIf(engine === 'postgres' && !bin)(
    'has everything of before, an unbroken audit log, and nothing that was revoked once all sessions are ended',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'rolecall-restore-'))
      chmodSync(folder, 0o777)
      const way = await open(folder)
      const port = await freePort()
      const env: Record<string, string> = { ...environmentFor(sim, port), DATABASE_URL: way.url }
      sim.allowRedirect(env['CHAT_CALLBACK_URL'] ?? '')
      const command = (...args: string[]) => runCommand(folder, args, env)
      await command('migrate')
      const made = await command('projects', 'create', 'Site', '--redirect-uri', redirectUri)
      const [, id = ''] = /^project {2}(\S+)$/m.exec(made.out) ?? []
      const [, key = ''] = /^API key {2}(\S+)/m.exec(made.out) ?? []
      const login = async (url: string): Promise<string> => {
        const code = (await walkLogin({ url, sim }, authorizePath(id))).searchParams.get('code')
        const body = { clientId: id, code, redirectUri }
        return (await call(url, 'POST', '/api/auth/token', { key, body })).body.token
      }
      const isValid = async (url: string, token: string): Promise<boolean> =>
        (await validate({ url }, { id, key }, token)).status === 200

      let before = startService(folder, env)
      await before.listening
      const [live, revoked] = [await login(before.url), await login(before.url)]
      // PostgreSQL is dumped while it is in use. The embedded database can have only one process.
      if (engine === 'pglite') await before.kill('SIGTERM')
      await way.backup()
      if (engine === 'pglite') before = startService(folder, env)
      await before.listening
      await call(before.url, 'POST', '/api/auth/logout', { key, body: { token: revoked } })
      expect(await isValid(before.url, revoked)).toBe(false)
      await before.kill('SIGTERM')
      env['DATABASE_URL'] = await way.wipeAndRestore()

      let said = ''
      for (const text of after.slice(0, 3)) said += await runShown(text, { cwd: folder, env })
      expect(said).toContain('ended  2 sessions')
      expect(said).toMatch(/^ok .*unbroken/m)
      const restored = startService(folder, env)
      await restored.listening
      expect(restored.output()).toContain('database restored from a backup: all its sessions have ended')
      expect(restored.output()).not.toContain('sessions revoke')
      const { url } = restored
      expect([await isValid(url, live), await isValid(url, revoked)]).toEqual([false, false])
      expect(await isValid(url, await login(url))).toBe(true)
      expect(await restored.kill('SIGTERM')).toBe(0)
      const again = startService(folder, env)
      await again.listening
      expect(again.output()).not.toContain('restored')
      await again.kill('SIGTERM')
      if (engine === 'postgres')
        expect(await futureChanges(env['DATABASE_URL'] ?? '')).toEqual([{ count: '0' }])
      await way.end()
      await rm(folder, { recursive: true, force: true })
    },
    // The test starts a dozen processes, one after the other.
    240_000,
  )
})

/** Counts the changes with future transaction IDs of this cluster. Each read would return all of them. */
async function futureChanges(url: string) {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query(
    'select count(*) from session_changes where xid >= pg_snapshot_xmax(pg_current_snapshot())',
  )
  await client.end()
  return rows
}

test('a file that is no backup, or half of one, is refused and leaves nothing; a backup is never written over', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rolecall-restore-'))
  const env = { DATABASE_URL: 'pglite:data' }
  const command = (...args: string[]) => runCommand(folder, args, env)
  expect(await command('backup', 'kept')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^There is no database in data/),
  })
  await copyTemplate(join(folder, 'data'))
  expect(await command('backup', 'kept')).toMatchObject({ code: 0, err: '' })
  expect(await command('backup', 'kept')).toMatchObject({
    code: 1,
    err: 'kept already exists, and a backup never replaces a file. Move it, or choose another name.\n',
  })
  await rename(join(folder, 'data'), join(folder, 'before'))
  truncateSync(join(folder, 'kept'), 100_000)
  writeFileSync(join(folder, 'other.gz'), gzipSync('something else'))
  for (const file of ['kept', 'missing', 'other.gz']) {
    const { code, err } = await command('restore', file)
    expect(code).toBe(1)
    expect(err).toMatch(/^((kept|other\.gz) is not a complete backup|missing cannot be read \(ENOENT\))/)
    expect(err.trim().split('\n')).toHaveLength(1)
  }
  expect(readdirSync(folder).sort()).toEqual(['before', 'kept', 'other.gz'])
  const other = await runCommand(folder, ['backup', 'x'], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' })
  expect(other).toMatchObject({ code: 1, err: expect.stringContaining('pg_dump --format=custom') })
  await rm(folder, { recursive: true, force: true })
})
