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

test('an embedded database is migrated from nothing, and a second start finds nothing to do', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rolecall-migrate-'))
  for (const expected of [/^0001/, undefined]) {
    const db = await openDatabase(`pglite:${join(folder, 'db')}`)
    const [first] = await migrate(db)
    if (expected) expect(first).toMatch(expected)
    else expect(first).toBeUndefined()
    expect(await schemaState(db)).toEqual({ pending: [], newer: [] })
    await db.close()
  }
  await rm(folder, { recursive: true })
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
      'The database has 9999_also_added.sql of a newer version, which works only with versions that have 9998_added.sql: start such a version, or restore a backup from before the update.'
    for (const ask of [migrate, schemaState]) {
      await expect(ask(db)).rejects.toThrow(new MigrationRefused(sentence))
    }
    await db.execute(sql`delete from migrations where name >= '9998'`)
  })

  test('what a newer migration needs is known by its name, whatever the order of the numbers', async () => {
    await db.execute(sql`insert into migrations (name, checksum, needs)
      values ('0000_numbered_late.sql', 'x', '0000_numbered_late.sql')`)
    for (const ask of [migrate, schemaState]) {
      await expect(ask(db)).rejects.toThrow('works only with versions that have 0000_numbered_late.sql')
    }
    await db.execute(sql`delete from migrations where name like '0000%'`)
  })

  test('a file that was edited after it was applied refuses the start by name', async () => {
    const checksum = sql`select checksum from migrations where name = '0002_mirror.sql'`
    const [before] = await db.query<{ checksum: string }>(checksum)
    await db.execute(sql`update migrations set checksum = 'x' where name = '0002_mirror.sql'`)
    for (const ask of [migrate, schemaState]) {
      await expect(ask(db)).rejects.toThrow(
        new MigrationRefused(
          '0002_mirror.sql was changed after it was applied; add a new migration instead.',
        ),
      )
    }
    await db.execute(sql`update migrations set checksum = ${before?.checksum} where name = '0002_mirror.sql'`)
  })

  test('a database from before the first release is refused in one sentence that says what to do, and left as it is', async () => {
    const refusal = new MigrationRefused(
      'The database is one from before the first release, which this version cannot take over: export what you need (members, audit log) with the version that made it, then start this one with an empty database.',
    )
    const before = await createDatabase(engine)
    const old = await openDatabase(before.url)
    await old.script(`drop schema public cascade; create schema public;
      create table migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now());
      create table members (id text primary key);
      insert into migrations (name, checksum) values ('0001_clock.sql', 'x'), ('0002_members.sql', 'x')`)
    for (const ask of [migrate, schemaState]) await expect(ask(old)).rejects.toThrow(refusal)
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

test('a migration never deadlocks with reads, holds no locks of the one before it, and nobody waits behind it for long', async () => {
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
  // In one transaction the migration would hold `one` and wait for `two`, the reader the other way round.
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

/** From here on a migration may meet a million rows that others are reading. */
const firstBesideLoad = '0050'

test('an index on a table that may be large is built beside its readers and writers', async () => {
  for (const { name, text } of await readMigrations()) {
    if (name < firstBesideLoad || /^-- small: .+$/m.test(text)) continue
    for (const [line, table = ''] of text.matchAll(
      /^create (?:unique )?index (?!concurrently).* on (\w+)/gm,
    )) {
      expect(text, `${name}: ${line}: write "concurrently" and "-- one by one", or "-- small: why"`).toMatch(
        new RegExp(`^create (unlogged )?table ${table}\\b`, 'm'),
      )
    }
  }
})

/** What the first release begins with. Older versions may run beside whatever comes after it. */
const lastOfFirstSet = '0017_monitoring.sql'

test('what an older version reads or writes is taken away only by a migration that says which versions it needs', async () => {
  const breaking =
    /^\s*(drop (table|view|column)|alter table .*(drop column|rename|set not null|alter column .* type))/im
  for (const { name, text } of await readMigrations()) {
    if (name <= lastOfFirstSet) continue
    if (breaking.test(text)) expect(text, name).toMatch(/^-- needs: \d{4}_\w+\.sql$/m)
  }
})

test('a migration says why in its first line, has a number of its own, and a name that no refused database has', async () => {
  const migrations = await readMigrations()
  expect(migrations.length).toBeGreaterThan(15)
  for (const { name, text } of migrations) {
    expect(name).toMatch(/^\d{4}_[a-z_]+\.sql$/)
    expect(text, name).toMatch(/^-- [A-Z]/)
  }
  const numbers = migrations.map(({ name }) => name.slice(0, 4))
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(migrations.map(({ name }) => name)).not.toContain('0002_members.sql')
})

test('the first set makes each thing once: nothing in it alters or drops', async () => {
  for (const { name, text } of await readMigrations()) {
    if (name > lastOfFirstSet) continue
    expect(text, name).not.toMatch(/^\s*(alter|drop|create or replace)\b/im)
  }
})

async function readMigrations() {
  const names = (await readdir(migrationsFolder)).sort()
  return Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(migrationsFolder, name), 'utf8') })),
  )
}
