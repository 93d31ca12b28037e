import { existsSync } from 'node:fs'
import { createCache } from '#platform/cache/create-cache'
import { DatabaseUnavailable } from '#platform/db/database'
import { pendingMigrations } from '#platform/db/migrate'
import { openDatabase } from '#platform/db/open-database'
import { sql } from '#platform/db/sql'
import type { Log } from '#platform/log'
import type { Config } from '../../config.ts'
import { type Line, ok, problem } from './line.ts'

/** Does the database answer, and does it have all tables? */
export async function databaseLines(config: Config): Promise<Line[]> {
  const folder = /^pglite:(?!:memory:)(.*)/.exec(config.databaseUrl)?.[1]
  if (folder && !existsSync(folder)) return [ok(`embedded PostgreSQL; the first start makes ${folder}`)]
  const db = await openDatabase(config.databaseUrl)
  try {
    const [row] = await db.query<{ version: string }>(
      sql`select current_setting('server_version') as version`,
    )
    const found = `${db.engine === 'pglite' ? 'embedded ' : ''}PostgreSQL ${row?.version}`
    const pending = await pendingMigrations(db)
    if (pending.length === 0) return [ok(`${found}, up to date`)]
    return [problem(`${found}, not up to date: run \`rolecall migrate\` (${pending.length} to apply).`)]
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error
    return [problem('does not answer. Check DATABASE_URL, and that the database runs and lets you in.')]
  } finally {
    await db.close()
  }
}

/** Does the cache answer? */
export async function cacheLines({ cacheUrl }: Config, log: Log): Promise<Line[]> {
  const cache = createCache(cacheUrl, { log: log as Parameters<typeof createCache>[1]['log'] })
  try {
    if (!(await cache.ping())) return [problem('does not answer. Check CACHE_URL and that the cache runs.')]
    return [ok(cache.kind === 'memory' ? 'in this process' : 'answers, and takes writes')]
  } finally {
    await cache.close()
  }
}
