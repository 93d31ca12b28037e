import { type Database, DatabaseRefused, DatabaseUnavailable } from '#platform/db/database'
import { openDatabase } from '#platform/db/open-database'
import { type Config, loadConfig } from '../config.ts'
import { readEnvironment } from '../environment.ts'
import { StartRefused } from '../start-refused.ts'

/**
 * Runs a command on the configured database. A wrong DATABASE_URL, of which the service outside production
 * would only warn, is refused: a command must not work on another database than its caller thinks.
 */
export async function withDatabase<T>(work: (db: Database, config: Config) => Promise<T>): Promise<T> {
  const { config, problems } = loadConfig(readEnvironment())
  const wrong = problems.filter((problem) => problem.startsWith('DATABASE_URL'))
  if (wrong.length > 0) throw new StartRefused(wrong.join('\n'))
  const db = await openDatabase(config.databaseUrl)
  try {
    return await work(db, config)
  } catch (error) {
    if (error instanceof DatabaseRefused) throw new StartRefused(error.message)
    if (!(error instanceof DatabaseUnavailable)) throw error
    throw new StartRefused('The database did not answer. Check DATABASE_URL and that it runs.')
  } finally {
    await db.close()
  }
}
