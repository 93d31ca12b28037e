import { sql } from './sql.ts'

/**
 * Selects the oldest transaction of a snapshot `s` that may still write to this database. A snapshot contains the
 * running transactions of all databases on the server. Leaves out those that are certain to belong to another database.
 * All others count, such as prepared transactions, which no session shows.
 */
export const ownHorizon = sql`coalesce((
  select min(x) from pg_snapshot_xip(s) x where not exists (
    select from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted and l.transactionid = x::xid
      and a.datname <> current_database())), pg_snapshot_xmax(s))`
