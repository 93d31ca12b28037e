import type { EngineStopped } from '#platform/db/embedded-engine'
import { folderProblem } from '#platform/db/folder-problem'
import type { Log } from '#platform/log'

/**
 * Creates the function that ends the process after the embedded database has stopped itself, as a PostgreSQL server
 * would end. Without the database, no request could be answered. The next start recovers every change that was
 * confirmed.
 */
export const endWithEngine =
  (log: Log) =>
  (reason: EngineStopped): void => {
    const problem = folderProblem(reason)
    const advice = problem ? `${problem.reason}. ${problem.fix}` : 'start the service again.'
    log.error(
      { engine: reason.message },
      `embedded database stopped, ending; every acknowledged change is safe: ${advice}`,
    )
    // Exits immediately: if the process were already stopping, it would otherwise exit with 0.
    process.exit(1)
  }
