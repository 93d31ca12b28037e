import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/**
 * The cluster and the database in it. A dump that is restored elsewhere, or into a new database, gets another identity.
 */
export const readIdentity = (db: Queryable) =>
  db.maybeOne<{ identity: string }>(sql`
    select c.system_identifier || '/' || d.oid as identity
    from pg_control_system() c, pg_database d where d.datname = current_database()`)

/** Stores the identity if none is stored. */
export const noteFirst = (db: Queryable, identity: string) =>
  db.execute(sql`insert into database_identity (identity) values (${identity}) on conflict do nothing`)

/**
 * Replaces a stored identity that differs; returns 1 if it differed. If several instances start at the same time, only
 * one of them gets 1.
 */
export const noteOther = (db: Queryable, identity: string) =>
  db.execute(sql`update database_identity set identity = ${identity} where identity <> ${identity}`)

/** Makes the next start treat the database as restored: the embedded engine's clusters are copies of one. */
export const markRestored = (db: Queryable) =>
  db.execute(sql`
    insert into database_identity (identity) values ('restored') on conflict (is_only) do update set identity = excluded.identity`)
