import type { Database } from '#platform/db/database'
import { sql } from '#platform/db/sql'

const endOfAll = '9223372036854775807'

/** What has changed since the last look, and the state of the database at this one. */
export interface Changes {
  /** What was seen: the next look asks for everything else. */
  readonly snapshot: string
  /** The database's clock. */
  readonly nowMs: number
  /** Tells one run of the database server from another: after a restart or failover nothing kept counts. */
  readonly serverStart: string
  readonly drops: readonly string[]
  /** Servers whose mirror the gateway vouches for, and as of when. */
  readonly liveAsOfMs: ReadonlyMap<string, number>
}

/**
 * Reads what the change log says that was not to be seen in an earlier snapshot, in one statement and so in one
 * snapshot. Without an earlier one that is nothing: whoever keeps nothing has nothing to drop.
 *
 * Each change is read once, however long a transaction that began before it stays open, here or in another
 * database of the same server.
 */
export async function readChanges(db: Database, since: string | undefined): Promise<Changes> {
  // PostgreSQL's pg_snapshot: "xmin:xmax:running,running". From xmax on nothing was to be seen.
  const [, end = endOfAll, running = ''] = since?.split(':') ?? []
  const rows = await db.gathered(sql`
    select 0, pg_current_snapshot()::text, (extract(epoch from clock_now()) * 1000)::float8,
      pg_postmaster_start_time()::text
    union all
    select 1, drops, null, null from session_changes
    where xid >= ${end}::xid8 or xid = any(${`{${running}}`}::xid8[])
    union all
    select 2, id, (extract(epoch from live_as_of) * 1000)::float8, null
    from servers where live_until > clock_now()`)
  const [state = []] = rows
  const drops: string[] = []
  const liveAsOfMs = new Map<string, number>()
  for (const [kind, text, number] of rows as [number, string, number][]) {
    if (kind === 1) drops.push(text)
    else if (kind === 2) liveAsOfMs.set(text, number)
  }
  return {
    snapshot: state[1] as string,
    nowMs: state[2] as number,
    serverStart: state[3] as string,
    drops,
    liveAsOfMs,
  }
}

/** Deletes what every reader has seen: the changes of transactions before an old horizon. */
export const trimChanges = (db: Database, oldHorizon: string) =>
  db.execute(sql`delete from session_changes where xid < ${oldHorizon}::xid8`)
