import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** The cluster and the database in it. A dump that is restored elsewhere, or into a new database, is another one. */
export const readIdentity = (db: Queryable) =>
  db.maybeOne<{ identity: string }>(sql`
    select c.system_identifier || '/' || d.oid as identity
    from pg_control_system() c, pg_database d where d.datname = current_database()`)

/** Notes the identity where none is noted yet. */
export const noteFirst = (db: Queryable, identity: string) =>
  db.execute(sql`insert into database_identity (identity) values (${identity}) on conflict do nothing`)

/** Notes another identity than the noted one; 1 when it was another. Of several that start at once, one hears so. */
export const noteOther = (db: Queryable, identity: string) =>
  db.execute(sql`update database_identity set identity = ${identity} where identity <> ${identity}`)

/** Makes the next start take it for restored: the embedded engine's clusters are copies of one. */
export const markRestored = (db: Queryable) =>
  db.execute(sql`
    insert into database_identity (identity) values ('restored') on conflict (is_only) do update set identity = excluded.identity`)
