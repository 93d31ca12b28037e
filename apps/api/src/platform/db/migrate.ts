import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { backOffMs } from '#platform/async'
import { type Database, type Queryable, sqlState } from './database.ts'
import { type ReportProgress, reportWhile } from './migration-progress.ts'
import { sql } from './sql.ts'

/** The folder with the migrations of this version. */
export const ownFolder = fileURLToPath(new URL('../../../migrations/', import.meta.url))
/** The number of the advisory lock for migrations. It is arbitrary, but must be the same in every version. */
const lockId = 7_263_114
/**
 * The longest time that a migration in a transaction waits for a lock. While it waits, all later statements on that
 * table wait behind it. After this time, it lets them pass, and is tried again.
 */
const lockTimeoutMs = 200
/** The number of attempts for a migration. With the waits for locks and the pauses, they take about a minute. */
const maxTries = 60

interface Migration {
  name: string
  checksum: string
  /**
   * The migration that an older version must have, so that it can still start after this one was applied. Undefined if
   * every older version can. A file declares it with the line `-- needs: NNNN_….sql`.
   */
  needs: string | undefined
  /** The scripts of the file. Each is sent in one request: the whole file, or one statement at a time. */
  scripts: string[]
  /** False if every statement commits on its own, see `oneByOneLine`. */
  isTransaction: boolean
}

/** Matches the line that declares `needs`. */
const needsLine = /^-- needs: (\S+\.sql)$/m
/**
 * Matches the line that makes a file run without a transaction, as `create index concurrently` and blocks with commits
 * require. The file then separates its statements with lines `-- next`. A statement waits up to a minute for a lock.
 * After an interruption, the file starts again from the beginning, so every statement must be repeatable.
 */
const oneByOneLine = /^-- one by one$/m
const nextStatementLine = /^-- next$/m

/**
 * Applies the migrations that the database lacks, and returns their names. Each file is one transaction, unless it
 * contains `-- one by one`. Several instances can start at the same time, and older versions can continue to serve: a
 * transaction waits at most `lockTimeoutMs` for a lock, and each migration releases its locks before the next one
 * starts.
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

/** The SQLSTATE of a statement for which the role lacks the rights. */
const lacksRights = '42501'

/**
 * Creates the table of applied migrations if it is missing, and applies the other migrations, in one process at a time.
 */
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
      // If two instances create the table at the same time, one fails. It then finds that the table exists.
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
 * Runs `work` in one process at a time. The embedded engine needs no lock, because it has only one process and one
 * connection.
 *
 * The lock belongs to a transaction that uses no table, and is idle while `work` runs. A process that does not get the
 * lock tries again later, instead of waiting for it in a statement. A waiting statement has a snapshot, and a
 * concurrent index build would wait for the end of that snapshot: a deadlock.
 */
async function withMigrationLock<T>(db: Database, work: () => Promise<T>): Promise<T> {
  if (db.engine === 'pglite') return work()
  for (let tries = 1; ; tries++) {
    let hasLock = false
    try {
      return await db.transaction(
        async (tx) => {
          // Uses the simple query protocol, because the extended one would leave a snapshot open.
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

/** Applies a migration and records it: in the same transaction, or after its last statement. */
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

/**
 * Repeats a migration that did not get a lock. That is safe: its transaction was rolled back, or its statements are
 * repeatable.
 */
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

/**
 * Returns true if the error or its cause is a lock timeout or a deadlock. `DatabaseUnavailable` has the real error as
 * its cause.
 */
const isAboutLocks = (error: unknown) =>
  [error, (error as Error).cause].some((one) => ['55P03', '40P01'].includes(sqlState(one) ?? ''))

/** The differences between the migrations of the database and those of this version. */
export interface SchemaState {
  /** The migrations of this version that are not applied yet. */
  readonly pending: string[]
  /** The applied migrations that only a newer version has. This version works with them. */
  readonly newer: string[]
}

/**
 * Compares the database with this version, without changing it.
 *
 * @throws MigrationRefused if `migrate` would refuse the database, too
 */
export async function schemaState(db: Database): Promise<SchemaState> {
  const migrations = await readMigrations(ownFolder)
  const applied = await readApplied(db).catch((error: unknown) =>
    sqlState(error) === lacksTable ? [] : Promise.reject(error),
  )
  refuseIncompatible(db, applied, migrations)
  return { pending: namesMissing(migrations, applied), newer: namesMissing(applied, migrations) }
}

/** Tells an operator that a newer version has migrated the database. */
export const newerSentence = (newer: readonly string[]): string =>
  `The database has ${newer.join(', ')} of a newer version. This version works with it. Finish the update.`

/** The SQLSTATE of a statement on a table that does not exist. */
const lacksTable = '42P01'

const namesMissing = (from: readonly { name: string }[], among: readonly { name: string }[]) =>
  from.map(({ name }) => name).filter((name) => !among.some((one) => one.name === name))

interface Applied {
  name: string
  checksum: string
  needs: string | null
}

/**
 * Lists the applied migrations. Reads `needs` through JSON, because the table of early unreleased versions lacks that
 * column.
 */
const readApplied = (db: Queryable) =>
  db.query<Applied>(
    sql`select name, checksum, to_jsonb(migrations) ->> 'needs' as needs from migrations order by name`,
  )

/**
 * Throws if this version cannot work with the database:
 *
 * - An unreleased version created it.
 * - A migration was changed after it was applied.
 * - A newer version applied a migration that needs one that this version lacks.
 *
 * All other unknown migrations are accepted. They come from a newer version, and during an update, old and new versions
 * run side by side.
 */
function refuseIncompatible({ engine }: Database, applied: Applied[], migrations: Migration[]) {
  const byName = new Map(migrations.map((one) => [one.name, one]))
  const first = migrations[0]?.name
  // The first file of every unreleased version had another name.
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

/** Thrown if migrations cannot be applied until an operator acts. The message contains the fix. */
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
