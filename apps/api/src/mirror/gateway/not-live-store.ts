import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { ServerNotLive } from './status.ts'

/**
 * Returns the registered servers that are not live. The one that has not been live for the longest time comes first.
 */
export const selectNotLiveServers = async (db: Queryable): Promise<ServerNotLive[]> => {
  const rows = await db.query<Omit<ServerNotLive, 'since'> & { since: Date }>(sql`
    select v.id as "serverId", v.name as "serverName",
      case when g.is_lost then 'lost' when not v.available then 'unavailable' else 'reading' end as reason,
      coalesce(g.unvouched_since, v.live_until,
        (select max(beat_at) from live_mirror), v.created_at) as since
    from servers v left join gateway_servers g on g.server_id = v.id
    where v.removed_at is null and coalesce(v.live_until <= clock_now(), true)
    order by since, v.id limit 100`)
  return rows.map((row) => ({ ...row, since: row.since.toISOString() }))
}
