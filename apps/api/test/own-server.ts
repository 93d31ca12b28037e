import { migrate } from '../src/platform/db/migrate.ts'
import { openDatabase } from '../src/platform/db/open-database.ts'
import type { TestDatabase } from './databases.ts'
import { startPostgres } from './postgres.ts'

/**
 * Creates a database on its own server, for tests that suspend a process. A suspended transaction would delay other
 * tests on the same server.
 */
export async function createOwnServer(): Promise<TestDatabase> {
  const postgres = await startPostgres()
  const db = await openDatabase(postgres.url)
  await migrate(db)
  await db.close()
  return { url: postgres.url, drop: () => postgres.stop() }
}
