import type { Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** Replaces the owners of a project. */
export const storeOwners = (
  tx: Tx,
  projectId: string,
  { roleIds, memberIds }: { roleIds: readonly string[]; memberIds: readonly string[] },
) =>
  tx.execute(sql`
    insert into project_owners (project_id, role_ids, member_ids)
    values (${projectId}, ${roleIds}::text[], ${memberIds}::text[])
    on conflict (project_id) do update set role_ids = excluded.role_ids, member_ids = excluded.member_ids`)

/** Removes an erased member from the owners of all projects. */
export const eraseOwner = (tx: Tx, memberId: string) =>
  tx.execute(sql`
    update project_owners set member_ids = array_remove(member_ids, ${memberId}) where ${memberId} = any(member_ids)`)
