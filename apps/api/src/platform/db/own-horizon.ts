import { sql } from './sql.ts'

/**
 * Selects the oldest transaction in progress in snapshot `s` that may write to this database. Snapshots contain the
 * transactions of all databases of the server. Excludes those that certainly belong to another database. Others, such
 * as prepared transactions, count.
 */
export const ownHorizon = sql`coalesce((
  select min(x) from pg_snapshot_xip(s) x where not exists (
    select from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted and l.transactionid = x::xid
      and a.datname <> current_database())), pg_snapshot_xmax(s))`
