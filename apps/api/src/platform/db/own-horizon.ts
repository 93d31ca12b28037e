import { sql } from './sql.ts'

/**
 * The oldest transaction in progress in snapshot `s` that may write to this database. IDs belong to the server, and a
 * transaction that verifiably holds its lock for another database is excluded here. An undecidable one, such as a
 * prepared transaction, counts.
 */
export const ownHorizon = sql`coalesce((
  select min(x) from pg_snapshot_xip(s) x where not exists (
    select from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted and l.transactionid = x::xid
      and a.datname <> current_database())), pg_snapshot_xmax(s))`
