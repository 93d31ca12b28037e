import type { Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/**
 * Returns the name of a member, or undefined if the member is unknown. Locks the row, so that no record of the member
 * can be created until the transaction ends.
 */
export const lockMember = (tx: Tx, memberId: string) =>
  tx.maybeOne<{ username: string }>(sql`select username from members where id = ${memberId} for update`)

/**
 * Deletes a member from the mirror and the records of member syncs. Delete all other references first.
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
  // Deletes role changes after the memberships, because each change either committed before or finds no membership.
  await tx.execute(sql`delete from member_role_changes where member_id = ${memberId}`)
  await tx.execute(sql`delete from members where id = ${memberId}`)
}
