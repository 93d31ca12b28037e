import { within } from './async.ts'
import type { Cache } from './cache/cache.ts'
import type { Database, DatabaseState } from './db/database.ts'

/** The time without a response after which a dependency counts as down. */
export const partDeadlineMs = 1_500

/** Returns the state of the database, for the health endpoints. */
export const databaseState = (db: Pick<Database, 'ping'>): Promise<DatabaseState> =>
  within<DatabaseState>(db.ping(), partDeadlineMs, 'down')

/** Returns true if the cache responds in time. */
export const isCacheUp = (cache: Pick<Cache, 'ping'>): Promise<boolean> =>
  within(cache.ping(), partDeadlineMs, false)
