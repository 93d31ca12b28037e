import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

interface BrandRow {
  readonly serverName: string | null
  readonly icon: string | null
  readonly projectName: string | null
  readonly accentColor: string | null
  readonly logo: string | null
}

/**
 * Finds what pages show of a project and a server. A removed server is included, because members who are refused still
 * see its name.
 */
export const findBrand = (db: Queryable, projectId: string | undefined, serverId: string | undefined) =>
  db.maybeOne<BrandRow>(sql`
    select v.name as "serverName", v.icon, p.name as "projectName", p.accent_color as "accentColor",
      l.digest as logo
    from (select 1) one
      left join servers v on v.id = ${serverId ?? null}::text
      left join projects p on p.id = ${projectId ?? null}::uuid and p.deleted_at is null
      left join project_logos l on l.project_id = p.id`)
