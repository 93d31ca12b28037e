import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** Returns the address of a registered server's icon at Discord. The icon is null if the server has none. */
export const findServerIcon = (db: Queryable, serverId: string) =>
  db.maybeOne<{ icon: string | null }>(sql`
    select icon from servers where id = ${serverId} and removed_at is null`)
