import { type FieldsOf, fieldsOf } from '@rolecall/contract'
import { selectFields } from '#member/columns'
import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

export interface ProfileRow extends FieldsOf<'profile'> {
  readonly id: string
}

/** A member as shown in one server. */
export const findProfile = (db: Queryable, memberId: string, serverId: string) =>
  db.maybeOne<ProfileRow>(sql`
    select u.id, ${selectFields(fieldsOf('profile'))}
    from members u
    left join memberships m on m.member_id = u.id and m.server_id = ${serverId} and m.left_at is null
    where u.id = ${memberId}`)

/** Returns the preferred name of a member, locked until the transaction ends. Sessions of the member can be created meanwhile. */
export const lockPreferredName = (tx: Tx, memberId: string) =>
  tx.maybeOne<{ preferredName: string | null }>(sql`
    select preferred_name as "preferredName" from members where id = ${memberId} for no key update`)
