import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { atOnce } from '../../../test/at-once.ts'
import { createDatabase, engines, type TestDatabase } from '../../../test/databases.ts'
import type { Database } from './database.ts'
import { MigrationRefused, migrate, pendingMigrations } from './migrate.ts'
import { openDatabase } from './open-database.ts'
import { sql } from './sql.ts'

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
    expect(await pendingMigrations(db)).toEqual([])
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
    expect(await pendingMigrations(db)).toEqual([])
    expect(await migrate(db)).toEqual([])
  })

  test('a file that was edited after it was applied, or that this version does not know, refuses the start by name', async () => {
    await db.execute(sql`update migrations set checksum = 'x' where name like '0003%'`)
    await expect(migrate(db)).rejects.toThrow(MigrationRefused)
    await expect(migrate(db)).rejects.toThrow('0003_projects.sql')
    await db.execute(sql`insert into migrations (name, checksum) values ('9999_future.sql', 'x')`)
    await expect(migrate(db)).rejects.toThrow(/9999_future\.sql|0003_projects\.sql/)
  })
})
