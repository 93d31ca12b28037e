import type { EngineStopped } from '#platform/db/embedded-engine'
import { folderProblem } from '#platform/db/folder-problem'
import type { Log } from '#platform/log'

/**
 * Ends the process after its embedded database has shut down after a failure, as a PostgreSQL server does. No request
 * could be answered, and the next start recovers every acknowledged change.
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
    // Exits immediately, because a stop in progress would exit with 0.
    process.exit(1)
  }
