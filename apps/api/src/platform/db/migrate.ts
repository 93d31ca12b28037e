import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Umzug } from 'umzug'
import { type Database, type Queryable, sqlState, type Tx } from './database.ts'
import { sql } from './sql.ts'

const migrationsFolder = fileURLToPath(new URL('../../../migrations/', import.meta.url))
/** Any constant of ours: whoever holds it migrates, everyone else waits and then finds nothing to do. */
const lockId = 7_263_114

interface Migration {
  name: string
  text: string
  checksum: string
  /** The oldest version that works beside it, by the newest migration that this version knows; undefined: any. */
  needs: string | undefined
}

/** How a migration that breaks older versions says which. */
const needsLine = /^-- needs: (\S+\.sql)$/m

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
      // needs: of the line "-- needs: NNNN_….sql" in the file; versions that do not know that migration do not start.
      'create table if not exists migrations (name text primary key, checksum text not null, needs text, applied_at timestamptz not null default now())',
    )
    .catch(async (error: unknown) => {
      // Two first starts may race to create the table; whoever lost finds it there.
      await db.query(sql`select from migrations limit 1`).catch(() => Promise.reject(error))
    })
  return db.transaction(
    async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(${lockId})`)
      const applied = await readApplied(tx)
      refuseIncompatible(applied, migrations)
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

export interface SchemaState {
  /** Migrations that are not applied yet. */
  readonly pending: string[]
  /** Migrations of a newer version that are applied already, and that this one works with. */
  readonly newer: string[]
}

/** How far the database is. Refuses what `migrate` would refuse. */
export async function schemaState(db: Database): Promise<SchemaState> {
  const migrations = await readMigrations()
  const applied = await readApplied(db).catch((error: unknown) =>
    sqlState(error) === lacksTable ? [] : Promise.reject(error),
  )
  refuseIncompatible(applied, migrations)
  return { pending: namesMissing(migrations, applied), newer: namesMissing(applied, migrations) }
}

export const newerSentence = (newer: readonly string[]): string =>
  `The database has ${newer.join(', ')} of a newer version, which this one works with: finish the update.`

const lacksTable = '42P01'

const namesMissing = (from: readonly { name: string }[], among: readonly { name: string }[]) =>
  from.map(({ name }) => name).filter((name) => !among.some((one) => one.name === name))

interface Applied {
  name: string
  checksum: string
  needs: string | null
}

/** By way of JSON: the oldest databases that are refused have no column `needs`. */
const readApplied = (db: Queryable) =>
  db.query<Applied>(
    sql`select name, checksum, to_jsonb(migrations) ->> 'needs' as needs from migrations order by name`,
  )

const storage = (tx: Tx, migrations: Migration[], applied: Applied[]) => ({
  executed: async () => applied.map(({ name }) => name),
  logMigration: async ({ name }: { name: string }) => {
    const one = migrations.find((migration) => migration.name === name)
    await tx.execute(
      sql`insert into migrations (name, checksum, needs) values (${name}, ${one?.checksum}, ${one?.needs ?? null})`,
    )
  },
  unlogMigration: () => Promise.reject(new Error('Migrations only go forward.')),
})

/** Databases from before the first release have this migration, none of a later one has. Its name is never given again. */
const unreleased = '0002_members.sql'

/**
 * Refuses a database from before the first release, a file that was edited after it was applied, and a database that a
 * newer version has changed so that this one no longer works with it. Migrations that are not known are a newer version's:
 * a released one stays in the set for ever. Those are welcome, since old and new run side by side in an update.
 */
function refuseIncompatible(applied: Applied[], migrations: Migration[]) {
  if (applied.some(({ name }) => name === unreleased)) {
    throw new MigrationRefused(
      'The database is one from before the first release, which this version cannot take over: export what you need (members, audit log) with the version that made it, then start this one with an empty database.',
    )
  }
  const known = new Map(migrations.map((one) => [one.name, one]))
  for (const { name, checksum, needs } of applied) {
    const ours = known.get(name)
    if (ours && ours.checksum !== checksum) {
      throw new MigrationRefused(`${name} was changed after it was applied; add a new migration instead.`)
    }
    if (!ours && needs !== null && !known.has(needs)) {
      throw new MigrationRefused(
        `The database has ${name} of a newer version, which works only with versions that have ${needs}: start such a version, or restore a backup from before the update.`,
      )
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
      return {
        name,
        text,
        checksum: createHash('sha256').update(text).digest('hex'),
        needs: needsLine.exec(text)?.[1],
      }
    }),
  )
}
