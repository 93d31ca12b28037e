import type { Database } from './database.ts'
import { openPglite } from './pglite.ts'
import { openPostgres, type PostgresOptions } from './postgres.ts'

/** Opens the database of a DATABASE_URL: `postgres://…`, `pglite:<folder>` or `pglite::memory:`. */
export async function openDatabase(url: string, options: PostgresOptions = {}): Promise<Database> {
  if (!url.startsWith('pglite:')) return openPostgres(url, options)
  const folder = url.slice('pglite:'.length)
  return openPglite(folder === ':memory:' ? undefined : folder, options.log)
}
