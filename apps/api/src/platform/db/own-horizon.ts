import { sql } from './sql.ts'

/**
 * The oldest transaction under way in snapshot `s` that may write to this database: ids are the server's, and one that is
 * seen to hold its lock for another database adds nothing here. One that cannot be told, such as a prepared one, counts.
 */
export const ownHorizon = sql`coalesce((
  select min(x) from pg_snapshot_xip(s) x where not exists (
    select from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted and l.transactionid = x::xid
      and a.datname <> current_database())), pg_snapshot_xmax(s))`
