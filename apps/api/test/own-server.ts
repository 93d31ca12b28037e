import { migrate } from '../src/platform/db/migrate.ts'
import { openDatabase } from '../src/platform/db/open-database.ts'
import type { TestDatabase } from './databases.ts'
import { startPostgres } from './postgres.ts'

/**
 * A database on a server of its own: a process that is frozen in the middle of a transaction holds back what others on
 * the same server may take for finished.
 */
export async function createOwnServer(): Promise<TestDatabase> {
  const postgres = await startPostgres()
  const db = await openDatabase(postgres.url)
  await migrate(db)
  await db.close()
  return { url: postgres.url, drop: () => postgres.stop() }
}
