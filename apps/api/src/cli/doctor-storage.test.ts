import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../../test/command.ts'
import { createDatabase, engines } from '../../test/databases.ts'
import { folderForTests, simForTests } from '../../test/process-for-tests.ts'
import { startRedis } from '../../test/redis.ts'
import { environmentFor } from '../../test/service.ts'
import { openDatabase } from '../platform/db/open-database.ts'
import { sql } from '../platform/db/sql.ts'

const folder = folderForTests('rolecall-storage-')
const sim = simForTests()

/** Runs a command in an empty folder, with this environment and nothing else. */
const rolecall = (command: string, env: Record<string, string>) => runCommand(folder, [command], env)

test('no command makes an empty database where a restore was interrupted; it says how to go on', async () => {
  await mkdir(join(folder, 'back.restoring'))
  const env = { DATABASE_URL: 'pglite:back' }
  const { code, out, err } = await rolecall('migrate', env)
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain('a restore into it was interrupted and left back.restoring')
  expect(err).toContain('Run `rolecall restore FILE` again.')
  expect(err.trim().split('\n')).toHaveLength(1)
  expect((await rolecall('doctor', env)).out).toMatch(
    /^PROBLEM +database +The data folder back cannot be used/m,
  )
  await rm(join(folder, 'back.restoring'), { recursive: true })
  expect((await rolecall('migrate', env)).code).toBe(0)
})

test('doctor says that the folder of the database cannot be created, and why', async () => {
  await writeFile(join(folder, 'a-file'), '')
  const lineFor = async (path: string) =>
    (await rolecall('doctor', { DATABASE_URL: `pglite:${path}` })).out
      .split('\n')
      .find((line) => line.includes('  database  '))
  const inItsPlace = /^PROBLEM +database +The data folder \S+ cannot be used: a file has this name\. Move/
  expect(await lineFor('a-file')).toMatch(inItsPlace)
  expect(await lineFor('a-file/below')).toMatch(inItsPlace)
  expect(await lineFor('new/below')).toMatch(/^ok +database +embedded PostgreSQL; the first start creates/)
})

describe.each(engines)('on %s', (engine) => {
  test('doctor says that the clock of the database was set back, as long as new sessions are not valid', async () => {
    const database = await createDatabase(engine)
    const env = { ...environmentFor(sim), DATABASE_URL: database.url }
    const create = ['projects', 'create', 'Site', '--redirect-uri', 'https://site.example/callback']
    expect(await runCommand(folder, create, env)).toMatchObject({ code: 0 })
    expect((await rolecall('doctor', env)).out).not.toMatch(/^PROBLEM +database /m)
    const db = await openDatabase(database.url)
    expect(
      await db.execute(sql`update server_access set readable_since = clock_now() + interval '1 hour'`),
    ).toBe(1)
    await db.close()
    expect((await rolecall('doctor', env)).out).toMatch(
      /^PROBLEM +database +The clock of the database was set back: a change has the time 20\S+Z\. Until then/m,
    )
    await database.drop()
  })

  test('doctor says that the disk of the database is full, and leaves nothing of what it tries', async () => {
    const database = await createDatabase(engine)
    const env = { ...environmentFor(sim), DATABASE_URL: database.url }
    expect((await rolecall('doctor', env)).out).toMatch(/^ok +database .*, up to date$/m)
    const db = await openDatabase(database.url)
    expect(await db.query(sql`select from instances`)).toEqual([])
    await db.script(`
      create function no_room() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file' using errcode = '53100'; end $$;
      create trigger no_room before insert on instances for each statement execute function no_room()`)
    await db.close()
    const { code, out } = await rolecall('doctor', env)
    expect(code).toBe(1)
    expect(out).toMatch(/^PROBLEM +database +The disk of the database is full\. .* Enlarge its volume/m)
    await database.drop()
  })
})

test('a cache that refuses commands is not called silent: doctor names the refusal and its fix', async () => {
  const cacheLine = async (CACHE_URL: string) =>
    (await rolecall('doctor', { ...environmentFor(sim), CACHE_URL })).out
      .split('\n')
      .find((line) => line.includes('  cache  '))
  const full = await startRedis(['--maxmemory', '1'])
  expect(await cacheLine(full.url)).toMatch(/^PROBLEM +cache +responds, but its memory is full\. Raise/)
  await full.stop()
  expect(await cacheLine(full.url)).toMatch(/^PROBLEM +cache +does not respond \(ECONNREFUSED\)\. Check/)
  const locked = await startRedis(['--requirepass', 'planted'])
  expect(await cacheLine(locked.url.replace('//', '//:sesame@'))).toMatch(
    /^PROBLEM +cache +rejects the user or password of CACHE_URL\. Correct them\.$/,
  )
  expect(await cacheLine(locked.url)).toMatch(/^PROBLEM +cache +requires a password/)
  await locked.stop()
}, 60_000)
