import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { atOnce } from '../../../test/at-once.ts'
import { createDatabase, engines, type TestDatabase } from '../../../test/databases.ts'
import type { Database } from './database.ts'
import { MigrationRefused, migrate, schemaState } from './migrate.ts'
import { progressSentence } from './migration-progress.ts'
import { openDatabase } from './open-database.ts'
import { sql } from './sql.ts'

const migrationsFolder = fileURLToPath(new URL('../../../migrations/', import.meta.url))

test('several instances migrating an empty database at once: one does it, all are up, nothing is applied twice', async () => {
  const maintenance = new pg.Client(inject('postgresUrl'))
  await maintenance.connect()
  for (let round = 0; round < 3; round++) {
    const name = `migrating_${process.pid}_${round}`
    await maintenance.query(`create database ${name} template template0`)
    const instances = await atOnce(5, () =>
      openDatabase(inject('postgresUrl').replace(/\/postgres$/, `/${name}`)),
    )
    const applied = await Promise.all(instances.map((db) => migrate(db)))
    const [first = []] = applied.filter((names) => names.length > 0)
    expect(first.length).toBeGreaterThan(5)
    expect(applied.flat()).toEqual(first)
    const rows = await (instances[0] as Database).query<{ name: string }>(
      sql`select name from migrations order by name`,
    )
    expect(rows.map((row) => row.name)).toEqual(first)
    for (const db of instances) await db.close()
    await maintenance.query(`drop database ${name}`)
  }
  await maintenance.end()
})

test('an embedded database that the set-up migrated from nothing finds nothing to do at its next start', async () => {
  const database = await createDatabase('pglite')
  const db = await openDatabase(database.url)
  expect(await migrate(db)).toEqual([])
  expect(await schemaState(db)).toEqual({ pending: [], newer: [] })
  await db.close()
  await database.drop()
})

describe.each(engines)('a migrated database on %s', (engine) => {
  let stored: TestDatabase
  let db: Database
  beforeAll(async () => {
    stored = await createDatabase(engine)
    db = await openDatabase(stored.url)
  })
  afterAll(async () => {
    await db.close()
    await stored.drop()
  })
  const empty =
    engine === 'postgres'
      ? 'an empty database'
      : 'an empty data folder (delete or move .rolecall/db, or the folder that DATABASE_URL names)'

  test('has nothing pending', async () => {
    expect(await schemaState(db)).toEqual({ pending: [], newer: [] })
    expect(await migrate(db)).toEqual([])
  })

  test('migrations of a newer version are welcome, until one needs more than this version has', async () => {
    const [newest] = await db.query<{ name: string }>(
      sql`select name from migrations order by name desc limit 1`,
    )
    await db.execute(sql`insert into migrations (name, checksum, needs)
      values ('9998_added.sql', 'x', null), ('9999_also_added.sql', 'x', ${newest?.name})`)
    const newer = ['9998_added.sql', '9999_also_added.sql']
    expect(await schemaState(db)).toEqual({ pending: [], newer })
    expect(await migrate(db)).toEqual([])

    await db.execute(sql`update migrations set needs = '9998_added.sql' where name = '9999_also_added.sql'`)
    const sentence =
      'The database has 9999_also_added.sql of a newer version, which requires 9998_added.sql. Start a version with that migration, or restore a backup from before the update.'
    for (const ask of [migrate, schemaState]) {
      await expect(ask(db)).rejects.toThrow(new MigrationRefused(sentence))
    }
    await db.execute(sql`delete from migrations where name >= '9998'`)
  })

  test('the needs of a newer migration are known by name, in any order of the numbers', async () => {
    await db.execute(sql`insert into migrations (name, checksum, needs)
      values ('0000_numbered_late.sql', 'x', '0000_numbered_late.sql')`)
    for (const ask of [migrate, schemaState]) {
      await expect(ask(db)).rejects.toThrow('which requires 0000_numbered_late.sql')
    }
    await db.execute(sql`delete from migrations where name like '0000%'`)
  })

  test('a file that was edited after it was applied refuses the start by name', async () => {
    const checksum = sql`select checksum from migrations where name = '0002_servers.sql'`
    const [before] = await db.query<{ checksum: string }>(checksum)
    await db.execute(sql`update migrations set checksum = 'x' where name = '0002_servers.sql'`)
    for (const ask of [migrate, schemaState]) {
      await expect(ask(db)).rejects.toThrow(
        new MigrationRefused(
          `0002_servers.sql has changed since it was applied to this database. Undo the change and add a new migration, or start with ${empty}.`,
        ),
      )
    }
    await db.execute(
      sql`update migrations set checksum = ${before?.checksum} where name = '0002_servers.sql'`,
    )
  })

  test('a database of an unreleased version is refused in one sentence that names the fix, and stays unchanged', async () => {
    const refusal = new MigrationRefused(
      `The database was created by an unreleased version, which this version cannot update. Export your data with that version, then start this version with ${empty}.`,
    )
    const before = await createDatabase(engine)
    const old = await openDatabase(before.url)
    await old.script(`drop schema public cascade; create schema public;
      create table migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now());
      create table members (id text primary key)`)
    for (const name of ['0001_clock.sql', '0002_members.sql', '0002_mirror.sql']) {
      await old.execute(sql`insert into migrations (name, checksum) values (${name}, 'x')`)
      for (const ask of [migrate, schemaState]) await expect(ask(old)).rejects.toThrow(refusal)
    }
    const [found] = await old.query<{ tables: string[] }>(sql`
      select array_agg(tablename::text order by tablename) as tables from pg_tables where schemaname = 'public'`)
    expect(found?.tables).toEqual(['members', 'migrations'])
    await old.close()
    await before.drop()
  })
})

/** A folder with these migrations alone. */
async function givenMigrations(files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'rolecall-migrations-'))
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)))
  return folder
}

test('a migration never deadlocks with reads, holds no locks of the one before it, and delays other statements only briefly', async () => {
  const stored = await createDatabase('postgres')
  const db = await openDatabase(stored.url)
  await db.script('drop table migrations; create table one (id int); create table two (id int)')
  const folder = await givenMigrations({
    '0001_one.sql': 'alter table one add column added int',
    '0002_two.sql': 'alter table two add column added int',
  })
  const [reader, other] = [new pg.Client(stored.url), new pg.Client(stored.url)]
  await Promise.all([reader.connect(), other.connect()])

  await reader.query('begin; select from two')
  const migrating = migrate(db, folder)
  const applied = async () => (await other.query('select name from migrations')).rows.length
  await expect.poll(() => applied().catch(() => 0)).toBe(1)
  // In one transaction the migration would hold `one` and wait for `two`, and the reader the other way round.
  await other.query(`set statement_timeout = '20s'; select from two`)
  await reader.query('select added from one')
  expect(await applied()).toBe(1)
  await reader.query('commit')

  expect(await migrating).toEqual(['0001_one.sql', '0002_two.sql'])
  await Promise.all([reader.end(), other.end(), db.close()])
  await Promise.all([stored.drop(), rm(folder, { recursive: true })])
})

test.each(engines)(
  'on %s statements that run one by one build an index concurrently and commit on their way',
  async (engine) => {
    const stored = await createDatabase(engine)
    const db = await openDatabase(stored.url)
    await db.script(
      'drop table migrations; create table one (id int); insert into one select generate_series(1, 10)',
    )
    const folder = await givenMigrations({
      '0001_index.sql': `-- Finds by id.\n-- one by one\ndrop index if exists one_id;\n-- next\ncreate index concurrently one_id on one (id);\n`,
      '0002_batches.sql': `-- Doubles.\n-- one by one\ndo $$ begin for i in 1..10 loop update one set id = 2 * id where id = i; commit; end loop; end $$`,
      '0003_broken.sql': 'insert into one values (1000); select broken',
    })
    await expect(migrate(db, folder)).rejects.toThrow('broken')
    expect(await db.query(sql`select name from migrations order by name`)).toEqual([
      { name: '0001_index.sql' },
      { name: '0002_batches.sql' },
    ])
    const [found] = await db.query(sql`
    select (select indisvalid from pg_index where indexrelid = 'one_id'::regclass) as "isValid", max(id) from one`)
    expect(found).toMatchObject({ isValid: true, max: expect.any(Number) })
    expect(await db.query(sql`select from one where id = 1000`)).toEqual([])
    await db.close()
    await Promise.all([stored.drop(), rm(folder, { recursive: true })])
  },
)

test('one that takes long is told of again and again, by name and number, until it is done', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const stored = await createDatabase('postgres')
    const db = await openDatabase(stored.url)
    await db.script('drop table migrations; create table two (id int)')
    const folder = await givenMigrations({
      '0001_one.sql': 'select 1',
      '0002_two.sql': 'alter table two add column added int',
    })
    const reader = new pg.Client(stored.url)
    await reader.connect()
    await reader.query('begin; select from two')
    const told: string[] = []
    const migrating = migrate(db, folder, (progress) => void told.push(progressSentence(progress)))
    await vi.waitFor(
      () => {
        vi.advanceTimersByTime(5_000)
        expect(told.at(-1)).toMatch(/^applying 0002_two.sql \(2 of 2\), for \d+ s so far$/)
      },
      { timeout: 20_000 },
    )
    await reader.query('commit')
    await migrating
    const lines = told.length
    vi.advanceTimersByTime(60_000)
    expect(told).toHaveLength(lines)
    await Promise.all([reader.end(), db.close()])
    await Promise.all([stored.drop(), rm(folder, { recursive: true })])
  } finally {
    vi.useRealTimers()
  }
})

/**
 * The last file of the first set. Later migrations run on tables with a million rows, while older versions use them.
 */
const lastOfFirstSet = '0022_monitoring.sql'

interface MigrationFile {
  readonly name: string
  readonly text: string
}

const breaking =
  /^\s*(drop (table|view|column)|alter table .*(drop column|rename|set not null|alter column .* type))/im
const patching = /^\s*(alter|drop|create or replace)\b/im
const indexed = /^create (?:unique )?index (?!concurrently).* on (\w+)/gm
const makes = (text: string, table = '') =>
  new RegExp(`^create (unlogged )?table ${table}\\b`, 'm').test(text)

/** Lists violations of the rules for migrations, by file. */
const violations = (migrations: readonly MigrationFile[]) =>
  migrations.flatMap(({ name, text }, at) => {
    const isLater = name > lastOfFirstSet
    const isSmall = /^-- small: .+$/m.test(text)
    const needs = /^-- needs: (\d{4}_\w+\.sql)$/m.exec(text)?.[1]
    const locks = isLater && !isSmall && [...text.matchAll(indexed)].some(([, table]) => !makes(text, table))
    const found = {
      'needs a name like 0042_what_it_makes.sql': !/^\d{4}_[a-z_]+\.sql$/.test(name),
      'has the same number as another file': migrations[at - 1]?.name.slice(0, 4) === name.slice(0, 4),
      'needs a first line that says what it is for': !/^-- [A-Z]/.test(text),
      'is in the first set, which only creates things': !isLater && patching.test(text),
      'builds an index that locks its table: write "concurrently" and "-- one by one", or "-- small: why"':
        locks,
      'removes something that older versions use: write "-- needs: NNNN_….sql"':
        isLater && breaking.test(text) && !needs,
      'needs a migration that does not exist':
        needs !== undefined && !migrations.some((one) => one.name === needs),
    }
    return Object.entries(found).flatMap(([problem, isFound]) => (isFound ? [`${name} ${problem}`] : []))
  })

test('every migration follows the rules, and the first file has a name that no earlier set used', async () => {
  const migrations = await readMigrations()
  expect(violations(migrations)).toEqual([])
  expect(migrations.map(({ name }) => name)).toContain(lastOfFirstSet)
  expect(migrations[0]?.name).toBe('0001_clock_and_identity.sql')
})

test.each([
  ['0090_Capital.sql', '-- Adds.', 'needs a name like'],
  ['0022_twice.sql', '-- Adds.', 'has the same number as another file'],
  ['0090_silent.sql', 'create table a (id int);', 'needs a first line'],
  ['0000_patch.sql', '-- Adds.\nalter table servers add column a int;', 'is in the first set'],
  ['0090_index.sql', '-- Adds.\ncreate index a on sessions (id);', 'builds an index that locks'],
  ['0090_drop.sql', '-- Drops.\nalter table servers drop column icon;', 'removes something that older'],
  ['0090_needs.sql', '-- Drops.\n-- needs: 0080_missing.sql\n', 'needs a migration that does not exist'],
])('a planted migration is reported: %s', async (name, text, problem) => {
  const planted = { name, text }
  const all = [...(await readMigrations()), planted].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  expect(violations(all)).toEqual([expect.stringMatching(`${name} ${problem}`)])
})

test.each([
  '-- Adds.\ncreate table a (id int);\ncreate index b on a (id);',
  '-- Adds.\n-- one by one\ncreate index concurrently a on sessions (id);',
  '-- Adds.\n-- small: one row.\ncreate index a on settings (version);',
  '-- Drops.\n-- needs: 0022_monitoring.sql\nalter table servers drop column icon;',
])('a later migration may contain: %s', async (text) => {
  expect(violations([...(await readMigrations()), { name: '0090_later.sql', text }])).toEqual([])
})

async function readMigrations(): Promise<MigrationFile[]> {
  const names = (await readdir(migrationsFolder)).sort()
  return Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(migrationsFolder, name), 'utf8') })),
  )
}
