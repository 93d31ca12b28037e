import type { Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** The name of a member, whom nothing can be made for until the transaction ends; undefined when nobody knows them. */
export const lockMember = (tx: Tx, memberId: string) =>
  tx.maybeOne<{ username: string }>(sql`select username from members where id = ${memberId} for update`)

/** Deletes a member from the mirror, and from what is kept of reads of servers. Whatever else refers to them goes before. */
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
  await tx.execute(sql`delete from members where id = ${memberId}`)
}
