import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** Finds the address of a registered server's icon at the chat platform. */
export const findServerIcon = (db: Queryable, serverId: string) =>
  db.maybeOne<{ icon: string | null }>(sql`
    select icon from servers where id = ${serverId} and removed_at is null`)
