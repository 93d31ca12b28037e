import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { atOnce } from '../../../test/at-once.ts'
import { createDatabase, engines, type TestDatabase } from '../../../test/databases.ts'
import type { Database } from './database.ts'
import { MigrationRefused, migrate, schemaState } from './migrate.ts'
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
    const applied = await Promise.all(instances.map(migrate))
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

  test('a database from before migrations said what they need is read as one that any version works with', async () => {
    await db.script('alter table migrations drop column needs')
    await db.execute(sql`insert into migrations (name, checksum) values ('9999_added.sql', 'x')`)
    expect(await schemaState(db)).toEqual({ pending: [], newer: ['9999_added.sql'] })
    await db.execute(sql`delete from migrations where name = '9999_added.sql'`)
    await db.script('alter table migrations add column needs text')
  })

  test('a file that was edited after it was applied refuses the start by name', async () => {
    await db.execute(sql`update migrations set checksum = 'x' where name like '0003%'`)
    for (const ask of [migrate, schemaState]) {
      await expect(ask(db)).rejects.toThrow(MigrationRefused)
      await expect(ask(db)).rejects.toThrow('0003_projects.sql')
    }
  })
})

test('what an older version reads or writes is taken away only by a migration that says which versions it needs', async () => {
  const files = (await readdir(migrationsFolder)).filter((name) => name >= '0105')
  const breaking =
    /^\s*(drop (table|view|column)|alter table .*(drop column|rename|set not null|alter column .* type))/im
  for (const name of files) {
    const text = await readFile(join(migrationsFolder, name), 'utf8')
    if (breaking.test(text)) expect(text, name).toMatch(/^-- needs: \d{4}_\w+\.sql$/m)
  }
})
