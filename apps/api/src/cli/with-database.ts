import { databaseRefusal } from '#platform/db/connection-refusals'
import { type Database, DatabaseTakesNoWrites, DatabaseUnavailable } from '#platform/db/database'
import { FolderInUse } from '#platform/db/folder-lock'
import { openDatabase } from '#platform/db/open-database'
import { type Config, loadConfig } from '../config.ts'
import { readEnvironment } from '../process/environment.ts'
import { StartRefused } from '../process/start-refused.ts'
import { keepOwner } from './keep-owner.ts'
import { unmadeFolder } from './unmade-folder.ts'

/**
 * Runs a command on the configured database. Is stricter than the service, so that a command never works on another
 * database than expected. It refuses an invalid DATABASE_URL, about which the service only warns outside production. It
 * does not create a database, except with `mayMake`. `whileRunning` tells how to get the same result from a running
 * service, which locks the embedded database.
 */
export async function withDatabase<T>(
  work: (db: Database, config: Config) => Promise<T>,
  { mayMake = false, whileRunning }: { mayMake?: boolean; whileRunning?: string } = {},
): Promise<T> {
  const { config, problems } = loadConfig(readEnvironment())
  const wrong = problems.filter((problem) => problem.startsWith('DATABASE_URL'))
  if (wrong.length > 0) throw new StartRefused(wrong.join('\n'))
  const unmade = unmadeFolder(config)
  if (unmade && !mayMake) {
    throw new StartRefused(
      `There is no database in ${unmade}. Run the command in the folder of the service, or set DATABASE_URL.`,
    )
  }
  return keepOwner(config.databaseUrl, async () => {
    const db = await openDatabase(config.databaseUrl).catch((error: unknown) =>
      refuseWhileRunning(error, whileRunning),
    )
    try {
      return await work(db, config)
    } catch (error) {
      const refusal = databaseRefusal(error)
      if (refusal) throw new StartRefused(refusal)
      if (error instanceof DatabaseTakesNoWrites) throw new StartRefused(error.advice)
      if (!(error instanceof DatabaseUnavailable)) throw error
      throw new StartRefused('The database did not respond. Check DATABASE_URL and that the database runs.')
    } finally {
      await db.close()
    }
  })
}

/** Rethrows an error. If a running service has locked the embedded database, throws a sentence that says so instead. */
export function refuseWhileRunning(error: unknown, alternative?: string): never {
  if (!(error instanceof FolderInUse)) throw error
  const stop = `A running Rolecall process uses the data folder ${error.folder}. Stop it and run this command again`
  throw new StartRefused(alternative ? `${stop}, or ${alternative}.` : `${stop}.`)
}
