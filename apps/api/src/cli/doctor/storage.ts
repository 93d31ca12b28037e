import pg from 'pg'
import { createCache } from '#platform/cache/create-cache'
import { connectionReason, databaseRefusal } from '#platform/db/connection-refusals'
import {
  type Database,
  DatabaseTakesNoWrites,
  DatabaseUnavailable,
  readOnlyAdvice,
} from '#platform/db/database'
import { refuseUnfinishedRestore } from '#platform/db/folder-lock'
import { newerSentence, schemaState } from '#platform/db/migrate'
import { openDatabase } from '#platform/db/open-database'
import { rehearse } from '#platform/db/rehearse'
import { sql } from '#platform/db/sql'
import type { Config } from '../../config.ts'
import { changedKeys } from '../../features/encryption-keys/check-fingerprints.ts'
import { writeMebibyte } from '../../features/monitoring/instances-store.ts'
import { keepOwner } from '../keep-owner.ts'
import { expectCreatable, unmadeFolder } from '../unmade-folder.ts'
import { clockLines } from './database-clock.ts'
import { type Line, note, ok, problem } from './line.ts'

/** Checks that the database responds, has all tables, and has disk space. */
export async function databaseLines(config: Config): Promise<Line[]> {
  const folder = unmadeFolder(config)
  if (folder) {
    refuseUnfinishedRestore(folder)
    expectCreatable(folder)
    return [ok(`embedded PostgreSQL; the first start creates ${folder}`)]
  }
  return onDatabase(config, async (db) => {
    const [row] = await db.query<{ version: string; isReadOnly: boolean }>(sql`
      select current_setting('server_version') as version,
        current_setting('transaction_read_only') = 'on' as "isReadOnly"`)
    if (row?.isReadOnly) return [problem(readOnlyAdvice)]
    const found = ok(`${db.engine === 'pglite' ? 'embedded ' : ''}PostgreSQL ${row?.version}`)
    const { pending, newer } = await schemaState(db)
    const notes = newer.length > 0 ? [note(newerSentence(newer))] : []
    if (pending.length === 0) {
      // The write is rolled back, so nothing is stored.
      await rehearse(db, writeMebibyte)
      return [{ ...found, text: `${found.text}, up to date` }, ...notes, ...(await clockLines(db))]
    }
    return [
      found,
      ...notes,
      note(
        `${pending.length} migrations are missing. \`serve\` applies them at its start, or run \`rolecall migrate\` now.`,
      ),
    ]
  })
}

/** Checks that the encryption keys are the ones that the stored secrets were encrypted with. */
export async function keyLines(config: Config): Promise<Line[]> {
  if (unmadeFolder(config)) return [ok('new; the first start stores their fingerprints')]
  return onDatabase(config, async (db) => {
    const { problems, fingerprints } = await changedKeys(db, config)
    if (problems.length > 0) return problems.map(problem)
    return [ok(fingerprints.map(({ name, fingerprint }) => `${name} ${fingerprint}`).join(', '))]
  })
}

/**
 * Runs a check on the configured database. If the database cannot be used, returns a line with the reason and the fix
 * instead.
 */
export const onDatabase = (config: Config, check: (db: Database) => Promise<Line[]>): Promise<Line[]> =>
  keepOwner(config.databaseUrl, () => runCheck(config, check))

async function runCheck(config: Config, check: (db: Database) => Promise<Line[]>): Promise<Line[]> {
  const db = await openDatabase(config.databaseUrl)
  try {
    return await check(db)
  } catch (error) {
    const refusal = databaseRefusal(error)
    if (refusal) return [problem(refusal)]
    if (error instanceof DatabaseTakesNoWrites) return [problem(error.advice)]
    if (!(error instanceof DatabaseUnavailable)) throw error
    const reason = connectionReason(error.cause)
    if (error.cause instanceof pg.DatabaseError)
      return [problem(`responds, but refuses (${reason}). ${refusalAdvice(error.cause.code)}`)]
    return [problem(`does not respond (${reason}): ${adviceFor(error.cause)}`)]
  } finally {
    await db.close()
  }
}

/** Returns the fix for an error that the server reports, by its SQLSTATE. */
function refusalAdvice(state = ''): string {
  if (state === '53300')
    return 'Close other connections, or raise max_connections, or the connection limit of the role or database.'
  if (state === '57P03') return 'It is starting or stopping. Wait, and try again.'
  if (['57014', '57P05', '25P03', '25P04'].includes(state))
    return 'Raise this time limit for the role of DATABASE_URL.'
  return 'The log of the database server says more.'
}

function adviceFor(cause: unknown): string {
  const code = connectionReason(cause)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'no such host. Correct the host in DATABASE_URL.'
  if (code === 'ECONNREFUSED')
    return 'no server listens there. Start it, or correct the host and port in DATABASE_URL.'
  return 'check the host and port in DATABASE_URL, and that the database runs and is reachable from here.'
}

/** The fix by the word with which the cache refuses commands. */
const cacheAdvice: Readonly<Record<string, string>> = {
  NOAUTH: 'requires a password, but CACHE_URL contains none. Add it.',
  WRONGPASS: 'rejects the user or password of CACHE_URL. Correct them.',
  OOM: 'responds, but its memory is full. Raise its maxmemory.',
  READONLY: 'is a replica, which accepts no writes. Point CACHE_URL at the primary.',
  MISCONF: 'runs, but cannot write to its disk. Free space on the disk, or turn off persistence.',
  NOPERM: 'rejects a command that the service needs. Permit all commands for the user of CACHE_URL.',
  LOADING: 'is still loading its data. Wait, and try again.',
}

/** Checks that the cache responds. */
export async function cacheLines({ cacheUrl }: Config): Promise<Line[]> {
  let reason = ''
  const log = {
    info() {},
    warn(found: { reason?: string }) {
      reason = found.reason ?? ''
    },
  }
  const cache = createCache(cacheUrl, { log: log as Parameters<typeof createCache>[1]['log'] })
  try {
    if (await cache.ping())
      return [ok(cache.kind === 'memory' ? 'in this process' : 'responds and accepts writes')]
    const noResponse = `does not respond (${reason}). Check CACHE_URL and that the cache runs.`
    return [problem(cacheAdvice[reason] ?? noResponse)]
  } finally {
    await cache.close()
  }
}
