import { within } from './async.ts'
import type { Cache } from './cache/cache.ts'
import type { Database, DatabaseState } from './db/database.ts'

/** A dependency that does not answer within this time is down. */
export const partDeadlineMs = 1_500

export const databaseState = (db: Pick<Database, 'ping'>): Promise<DatabaseState> =>
  within<DatabaseState>(db.ping(), partDeadlineMs, 'down')

export const isCacheUp = (cache: Pick<Cache, 'ping'>): Promise<boolean> =>
  within(cache.ping(), partDeadlineMs, false)
