import type { Database } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** What has changed since the last look, and the state of the database at this one. */
export interface Changes {
  /** Asked for next time: every transaction before this one is finished, and was seen. */
  readonly horizon: string
  /** The database's clock. */
  readonly nowMs: number
  /** Tells one run of the database server from another: after a restart or failover nothing kept counts. */
  readonly serverStart: string
  readonly drops: readonly string[]
  /** Servers whose mirror the gateway vouches for, and as of when. */
  readonly liveAsOfMs: ReadonlyMap<string, number>
}

/** Reads the change log from a horizon on, in one statement and so in one snapshot. */
export async function readChanges(db: Database, horizon: string): Promise<Changes> {
  const rows = await db.gathered(sql`
    select 0, pg_snapshot_xmin(pg_current_snapshot())::text, (extract(epoch from clock_now()) * 1000)::float8,
      pg_postmaster_start_time()::text
    union all
    select 1, drops, null, null from session_changes where xid >= ${horizon}::xid8
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
    horizon: state[1] as string,
    nowMs: state[2] as number,
    serverStart: state[3] as string,
    drops,
    liveAsOfMs,
  }
}

/** Deletes what every reader has seen: the changes of transactions before an old horizon. */
export const trimChanges = (db: Database, oldHorizon: string) =>
  db.execute(sql`delete from session_changes where xid < ${oldHorizon}::xid8`)
