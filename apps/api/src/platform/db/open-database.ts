import type { Database } from './database.ts'
import { type EmbeddedOptions, openPglite } from './pglite.ts'
import { openPostgres, type PostgresOptions } from './postgres.ts'

type DatabaseOptions = PostgresOptions & EmbeddedOptions

/** Opens the database of a DATABASE_URL: `postgres://…`, `pglite:<folder>`, or `pglite::memory:`. */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  if (!url.startsWith('pglite:')) return openPostgres(url, options)
  const folder = url.slice('pglite:'.length)
  return openPglite(folder === ':memory:' ? undefined : folder, options)
}
