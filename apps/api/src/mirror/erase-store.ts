import type { Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/**
 * Returns the name of a member and locks the row: nothing can be created for the member until the transaction ends.
 * Undefined if the member is unknown.
 */
export const lockMember = (tx: Tx, memberId: string) =>
  tx.maybeOne<{ username: string }>(sql`select username from members where id = ${memberId} for update`)

/**
 * Deletes a member from the mirror, and from the records of server reads. All other references are deleted before.
 */
export async function eraseFromMirror(tx: Tx, memberId: string): Promise<void> {
  await tx.execute(sql`
    update member_syncs set started_by = started_by - 'actor' - 'client'
    where started_by -> 'actor' ->> 'id' = ${memberId}`)
  await tx.execute(sql`
    update member_syncs set unlisted = (
      select coalesce(jsonb_agg(jsonb_set(u, '{ids}', (u -> 'ids') - ${memberId}::text)), '[]')
      from jsonb_array_elements(unlisted) u)
    where position(${memberId} in unlisted::text) > 0`)
  await tx.execute(sql`delete from memberships where member_id = ${memberId}`)
  // After the memberships: changes of their roles have waited for that, or are committed.
  await tx.execute(sql`delete from member_role_changes where member_id = ${memberId}`)
  await tx.execute(sql`delete from members where id = ${memberId}`)
}
