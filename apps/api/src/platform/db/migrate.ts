import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Umzug } from 'umzug'
import { type Database, sqlState, type Tx } from './database.ts'
import { sql } from './sql.ts'

const migrationsFolder = fileURLToPath(new URL('../../../migrations/', import.meta.url))
/** Any constant of ours: whoever holds it migrates, everyone else waits and then finds nothing to do. */
const lockId = 7_263_114

interface Migration {
  name: string
  text: string
  checksum: string
}

/** Applies what is missing, all or nothing, and returns the names. Several instances may start at once. */
export async function migrate(db: Database): Promise<string[]> {
  try {
    return await applyMissing(db)
  } catch (error) {
    // Umzug wraps what a migration threw.
    if ([error, (error as Error).cause].some((one) => sqlState(one) === lacksRights)) {
      throw new MigrationRefused(
        'The role of DATABASE_URL may not change the tables. Run `rolecall migrate` as their owner, or grant it the rights: grant create on schema public to …',
      )
    }
    throw error
  }
}

const lacksRights = '42501'

async function applyMissing(db: Database): Promise<string[]> {
  const migrations = await readMigrations()
  await db
    .script(
      'create table if not exists migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
    )
    .catch(async (error: unknown) => {
      // Two first starts may race to create the table; whoever lost finds it there.
      await db.query(sql`select from migrations limit 1`).catch(() => Promise.reject(error))
    })
  return db.transaction(
    async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(${lockId})`)
      const applied = await tx.query<Applied>(sql`select name, checksum from migrations order by name`)
      refuseForeign(applied, migrations)
      const umzug = new Umzug({
        logger: undefined,
        migrations: migrations.map(({ name, text }) => ({ name, up: () => tx.script(text) })),
        storage: storage(tx, migrations, applied),
      })
      return (await umzug.up()).map(({ name }) => name)
    },
    { long: true },
  )
}

/** Names of migrations that are not applied yet. Refuses what `migrate` would refuse. */
export async function pendingMigrations(db: Database): Promise<string[]> {
  const migrations = await readMigrations()
  const applied = await db
    .query<Applied>(sql`select name, checksum from migrations`)
    .catch((error: { code?: string }) => (error.code === '42P01' ? [] : Promise.reject(error)))
  refuseForeign(applied, migrations)
  return migrations.map(({ name }) => name).filter((name) => !applied.some((one) => one.name === name))
}

interface Applied {
  name: string
  checksum: string
}

const storage = (tx: Tx, migrations: Migration[], applied: Applied[]) => ({
  executed: async () => applied.map(({ name }) => name),
  logMigration: async ({ name }: { name: string }) => {
    const checksum = migrations.find((one) => one.name === name)?.checksum
    await tx.execute(sql`insert into migrations (name, checksum) values (${name}, ${checksum})`)
  },
  unlogMigration: () => Promise.reject(new Error('Migrations only go forward.')),
})

/** A database of a newer version, or a file edited after it was applied, is never touched. */
function refuseForeign(applied: Applied[], migrations: Migration[]) {
  for (const { name, checksum } of applied) {
    const ours = migrations.find((one) => one.name === name)
    if (!ours) throw new MigrationRefused(`The database has ${name}, which this version does not know.`)
    if (ours.checksum !== checksum) {
      throw new MigrationRefused(`${name} was changed after it was applied; add a new migration instead.`)
    }
  }
}

export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused'
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(`${migrationsFolder}${name}`, 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}
