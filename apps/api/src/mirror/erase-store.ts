import type { Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/**
 * Returns the name of a member, or undefined if there is no such member. Locks the row, so that nothing new about the
 * member can be stored until the transaction ends.
 */
export const lockMember = (tx: Tx, memberId: string) =>
  tx.maybeOne<{ username: string }>(sql`select username from members where id = ${memberId} for update`)

/**
 * Deletes a member from the mirror, and from the records of member syncs. All other references must have been deleted
 * before.
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
  // Must come after the memberships: each role change has then either been committed, or finds no membership.
  await tx.execute(sql`delete from member_role_changes where member_id = ${memberId}`)
  await tx.execute(sql`delete from members where id = ${memberId}`)
}
