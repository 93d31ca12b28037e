import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/**
 * Returns the identity of the database, which consists of the cluster's ID and the database's ID in the cluster. A dump
 * that is restored into another cluster, or into a new database, gets another identity.
 */
export const readIdentity = (db: Queryable) =>
  db.maybeOne<{ identity: string }>(sql`
    select c.system_identifier || '/' || d.oid as identity
    from pg_control_system() c, pg_database d where d.datname = current_database()`)

/** Stores the identity of the database, unless one is stored already. */
export const noteFirst = (db: Queryable, identity: string) =>
  db.execute(sql`insert into database_identity (identity) values (${identity}) on conflict do nothing`)

/**
 * Replaces the stored identity if it differs. Returns 1 if it differed, and 0 otherwise. If several instances start at
 * the same time, only one of them gets 1.
 */
export const noteOther = (db: Queryable, identity: string) =>
  db.execute(sql`update database_identity set identity = ${identity} where identity <> ${identity}`)

/**
 * Makes the next start treat the database as restored. The embedded engine needs this, because all of its clusters are
 * copies of one, and have the same identity.
 */
export const markRestored = (db: Queryable) =>
  db.execute(sql`
    insert into database_identity (identity) values ('restored') on conflict (is_only) do update set identity = excluded.identity`)
