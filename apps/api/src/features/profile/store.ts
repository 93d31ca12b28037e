import { type FieldsOf, fieldsOf } from '@rolecall/contract'
import { selectFields } from '#member/columns'
import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** The profile of an administrator. Its fields come from `FieldsOf`. */
export interface ProfileRow extends FieldsOf<'profile'> {
  readonly id: string
}

/** Returns a member, with the nickname in one server. Returns undefined for an unknown member. */
export const findProfile = (db: Queryable, memberId: string, serverId: string) =>
  db.maybeOne<ProfileRow>(sql`
    select u.id, ${selectFields(fieldsOf('profile'))}
    from members u
    left join memberships m on m.member_id = u.id and m.server_id = ${serverId} and m.left_at is null
    where u.id = ${memberId}`)

/**
 * Returns the preferred name of a member, and locks the member until the transaction ends. While the lock is held,
 * sessions of the member can still be created.
 */
export const lockPreferredName = (tx: Tx, memberId: string) =>
  tx.maybeOne<{ preferredName: string | null }>(sql`
    select preferred_name as "preferredName" from members where id = ${memberId} for no key update`)
