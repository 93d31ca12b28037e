import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { backOffMs } from '#platform/async'
import { type Database, type Queryable, sqlState } from './database.ts'
import { type ReportProgress, reportWhile } from './migration-progress.ts'
import { sql } from './sql.ts'

/** The migrations of this version. */
export const ownFolder = fileURLToPath(new URL('../../../migrations/', import.meta.url))
/** Identifies the advisory lock of migrations. The number is arbitrary, and must stay the same in every version. */
const lockId = 7_263_114
/**
 * The longest time that a migration in one transaction waits for a lock, because later statements on the same table
 * wait behind it. After that time they run first, and the migration retries.
 */
const lockTimeoutMs = 200
/**
 * The number of attempts to apply a migration. With waits of `lockTimeoutMs` and the pauses, they take about a minute.
 */
const maxTries = 60

interface Migration {
  name: string
  checksum: string
  /**
   * The migration that an older version must contain to start after this one was applied. Undefined if each can. The
   * file names it in its line `-- needs: NNNN_….sql`.
   */
  needs: string | undefined
  /** The scripts, each sent in one request: the whole file, or one script per statement. */
  scripts: string[]
  /** False if each statement commits on its own: see `oneByOneLine`. */
  isTransaction: boolean
}

/** Matches the line that sets `needs`. */
const needsLine = /^-- needs: (\S+\.sql)$/m
/**
 * Matches the line that makes each statement run outside a transaction, for `create index concurrently` and blocks that
 * commit. Each statement waits up to a minute for a lock. After an interruption the file starts over, so each statement
 * must be repeatable.
 */
const oneByOneLine = /^-- one by one$/m
const nextStatementLine = /^-- next$/m

/**
 * Applies the missing migrations and returns their names. Each file is one transaction, except those marked `-- one by
 * one`. Several instances can start at once. Older versions can keep serving: a transaction waits at most
 * `lockTimeoutMs` for a lock, and each migration releases its locks before the next starts.
 */
export async function migrate(
  db: Database,
  folder = ownFolder,
  report: ReportProgress = () => {},
): Promise<string[]> {
  try {
    return await applyMissing(db, await readMigrations(folder), report)
  } catch (error) {
    if (sqlState(error) === lacksRights) {
      throw new MigrationRefused(
        'The role of DATABASE_URL cannot create or change the tables. Run `rolecall migrate` as the role that owns them. In a new database, its owner can run this instead: grant create on schema public to …',
      )
    }
    throw error
  }
}

/** The SQL state of a statement for which the role lacks the rights. */
const lacksRights = '42501'

/** Creates the table of applied migrations, and applies those that are missing, in one process at a time. */
async function applyMissing(
  db: Database,
  migrations: Migration[],
  report: ReportProgress,
): Promise<string[]> {
  await db
    .script(
      'create table if not exists migrations (name text primary key, checksum text not null, needs text, applied_at timestamptz not null default now())',
    )
    .catch(async (error: unknown) => {
      // Two instances may race to create the table. The loser finds that it exists.
      await db.query(sql`select from migrations limit 1`).catch(() => Promise.reject(error))
    })
  return withMigrationLock(db, async () => {
    const applied = await readApplied(db)
    refuseIncompatible(db, applied, migrations)
    const missing = migrations.filter(({ name }) => !applied.some((one) => one.name === name))
    for (const [i, one] of missing.entries()) {
      const progress = { report, name: one.name, number: i + 1, of: missing.length }
      await reportWhile(progress, () => retryOnLockTimeout(one.name, () => apply(db, one)))
    }
    return missing.map(({ name }) => name)
  })
}

/**
 * Runs `work` in one process at a time. The embedded engine needs no lock, because it has one process and one
 * connection.
 *
 * The lock belongs to a transaction that touches no table and is idle during the work. A process without the lock
 * polls, because a statement that waits for the lock holds a snapshot. A concurrent index build would wait for that
 * snapshot, and both would wait forever.
 */
async function withMigrationLock<T>(db: Database, work: () => Promise<T>): Promise<T> {
  if (db.engine === 'pglite') return work()
  for (let tries = 1; ; tries++) {
    let hasLock = false
    try {
      return await db.transaction(
        async (tx) => {
          // Uses the simple query protocol. With the extended protocol, the statement's snapshot would remain.
          await tx.script(`set local idle_in_transaction_session_timeout = 0;
            do $$ begin if not pg_try_advisory_xact_lock(${lockId}) then raise lock_not_available; end if; end $$`)
          hasLock = true
          return work()
        },
        { long: true },
      )
    } catch (error) {
      if (hasLock || !isAboutLocks(error)) throw error
    }
    await pause(tries)
  }
}

const pause = (tries: number) =>
  new Promise((resolve) => setTimeout(resolve, backOffMs(tries, { firstMs: 50, maxMs: 1_000 })))

/** Applies a migration, and records it in the transaction of its script, or after its statements. */
async function apply(db: Database, { name, checksum, needs, scripts, isTransaction }: Migration) {
  if (!isTransaction) for (const statement of scripts) await db.script(statement)
  await db.transaction(
    async (tx) => {
      await tx.query(sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`)
      if (isTransaction) for (const script of scripts) await tx.script(script)
      await tx.execute(
        sql`insert into migrations (name, checksum, needs) values (${name}, ${checksum}, ${needs ?? null})`,
      )
    },
    { long: true },
  )
}

/** Retries a migration that could not get a lock. It was rolled back, or its statements are repeatable. */
async function retryOnLockTimeout(name: string, attempt: () => Promise<void>) {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isAboutLocks(error)) throw error
      if (tries === maxTries) {
        throw new MigrationRefused(
          `${name} found its tables locked for a minute. End the statements that hold the locks (select * from pg_stat_activity), and start again. Earlier migrations stay applied.`,
        )
      }
      await pause(tries)
    }
  }
}

/** Returns true if the error or its cause is a lock timeout or a deadlock. A reported outage wraps its cause. */
const isAboutLocks = (error: unknown) =>
  [error, (error as Error).cause].some((one) => ['55P03', '40P01'].includes(sqlState(one) ?? ''))

export interface SchemaState {
  /** Migrations that are not applied yet. */
  readonly pending: string[]
  /** Applied migrations of a newer version that this one works with. */
  readonly newer: string[]
}

/** Returns the migration state of the database. Refuses the databases that `migrate` would refuse. */
export async function schemaState(db: Database): Promise<SchemaState> {
  const migrations = await readMigrations(ownFolder)
  const applied = await readApplied(db).catch((error: unknown) =>
    sqlState(error) === lacksTable ? [] : Promise.reject(error),
  )
  refuseIncompatible(db, applied, migrations)
  return { pending: namesMissing(migrations, applied), newer: namesMissing(applied, migrations) }
}

export const newerSentence = (newer: readonly string[]): string =>
  `The database has ${newer.join(', ')} of a newer version. This version works with it. Finish the update.`

/** The SQL state of a statement on a table that does not exist. */
const lacksTable = '42P01'

const namesMissing = (from: readonly { name: string }[], among: readonly { name: string }[]) =>
  from.map(({ name }) => name).filter((name) => !among.some((one) => one.name === name))

interface Applied {
  name: string
  checksum: string
  needs: string | null
}

/**
 * Lists the applied migrations. Reads `needs` from JSON: databases of the earliest unreleased versions lack the column.
 */
const readApplied = (db: Queryable) =>
  db.query<Applied>(
    sql`select name, checksum, to_jsonb(migrations) ->> 'needs' as needs from migrations order by name`,
  )

/**
 * Refuses databases that this version cannot work with:
 *
 * - one that an unreleased version created
 * - one with a migration that was changed after it was applied
 * - one with a migration of a newer version that needs a migration that this version lacks
 *
 * Accepts all other unknown migrations. They belong to a newer version, because released ones are never removed, and
 * old and new versions run side by side during an update.
 */
function refuseIncompatible({ engine }: Database, applied: Applied[], migrations: Migration[]) {
  const byName = new Map(migrations.map((one) => [one.name, one]))
  const first = migrations[0]?.name
  // Each unreleased set of migrations began with a file of another name.
  if (applied.length > 0 && !applied.some(({ name }) => name === first)) {
    throw new MigrationRefused(
      `The database was created by an unreleased version, which this version cannot update. Export your data with that version, then start this version with ${emptyDatabase[engine]}.`,
    )
  }
  for (const { name, checksum, needs } of applied) {
    const migration = byName.get(name)
    if (migration && migration.checksum !== checksum) {
      throw new MigrationRefused(
        `${name} has changed since it was applied to this database. Undo the change and add a new migration, or start with ${emptyDatabase[engine]}.`,
      )
    }
    if (!migration && needs !== null && !byName.has(needs)) {
      throw new MigrationRefused(
        `The database has ${name} of a newer version, which requires ${needs}. Start a version with that migration, or restore a backup from before the update.`,
      )
    }
  }
}

const emptyDatabase = {
  postgres: 'an empty database',
  pglite: 'an empty data folder (delete or move .rolecall/db, or the folder that DATABASE_URL names)',
}

export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused'
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8')
      const isTransaction = !oneByOneLine.test(text)
      return {
        name,
        checksum: createHash('sha256').update(text).digest('hex'),
        needs: needsLine.exec(text)?.[1],
        scripts: isTransaction ? [text] : text.split(nextStatementLine),
        isTransaction,
      }
    }),
  )
}
