import type { Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'

/** A person with their current roles in the main server. Both can make them the owner of a project. */
export interface PossibleOwner {
  readonly memberId: string
  readonly roleIds: readonly string[]
}

/** The maximum number of own projects that a list shows. */
const maxShown = 100

/** Returns the projects that a person owns, sorted by name, up to `maxShown`. */
export const listOwnedProjects = (db: Queryable, { memberId, roleIds }: PossibleOwner) =>
  db.query<{ id: string; name: string }>(sql`
    select p.id, p.name from project_owners o join projects p on p.id = o.project_id
    where p.deleted_at is null and (${memberId} = any(o.member_ids) or o.role_ids && ${roleIds}::text[])
    order by p.name, p.id limit ${maxShown}`)

/** A condition that is true if the person owns the project with this ID. `projectId` may be a column. */
export const isOwnedBy = ({ memberId, roleIds }: PossibleOwner, projectId: Sql): Sql => sql`exists (
  select from project_owners o join projects p on p.id = o.project_id
  where o.project_id = ${projectId} and p.deleted_at is null
    and (${memberId} = any(o.member_ids) or o.role_ids && ${roleIds}::text[]))`

/** Returns true if the person owns the project. */
export const isOwner = async (db: Queryable, owner: PossibleOwner, projectId: string) =>
  (await db.maybeOne(sql`select where ${isOwnedBy(owner, sql`${projectId}::uuid`)}`)) !== undefined
