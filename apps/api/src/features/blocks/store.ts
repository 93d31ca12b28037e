import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

export interface BlockRow {
  readonly reason: string | null
  readonly since: Date
  readonly until: Date | null
}

/** Returns the block that is in force now. */
export const findBlock = (db: Queryable, memberId: string) =>
  db.maybeOne<BlockRow>(sql`
    select reason, since, until from member_blocks
    where member_id = ${memberId} and (until is null or until > clock_now())`)

/** Returns the block that is in force, locked until the transaction ends. */
export const lockBlock = (tx: Tx, memberId: string) =>
  tx.maybeOne<BlockRow>(sql`
    select reason, since, until from member_blocks
    where member_id = ${memberId} and (until is null or until > clock_moment()) for no key update`)

/**
 * Locks a member until the transaction ends, so that changes to their block run one after another and "before" is the
 * real previous state. Returns the name, and whether this end is in the future; undefined for an unknown member.
 */
export const lockBlockable = (tx: Tx, memberId: string, until: string | null) =>
  tx.maybeOne<{ username: string; isToCome: boolean }>(sql`
    select username, ${until}::timestamptz is null or ${until}::timestamptz > clock_now() as "isToCome"
    from members where id = ${memberId} for no key update`)

/**
 * Starts a block, or changes the current block. Returns undefined if the reason and the end are the same already. A
 * block that has ended begins again.
 */
export const putBlock = (tx: Tx, memberId: string, reason: string, until: string | null) =>
  tx.maybeOne<BlockRow>(sql`
    insert into member_blocks as b (member_id, reason, until)
    values (${memberId}, ${reason}, ${until}::timestamptz)
    on conflict (member_id) do update set reason = excluded.reason, until = excluded.until,
      since = case when b.until <= clock_moment() then clock_now() else b.since end
    where (b.reason, b.until) is distinct from (excluded.reason, excluded.until) or b.until <= clock_moment()
    returning reason, since, until`)

/**
 * Ends the current block. Returns undefined if the member is not blocked. It ends at this moment, never before it
 * began: sessions from earlier sign-ins stay void. The time is rounded down to whole milliseconds, so that the next
 * transaction sees the block as ended.
 */
export const endBlock = (tx: Tx, memberId: string) =>
  tx.maybeOne<{ reason: string | null }>(sql`
    update member_blocks set until = date_trunc('milliseconds', clock_moment())
    where member_id = ${memberId} and (until is null or until > clock_moment())
    returning reason`)

/** Removes the reason from a block in force, which stays in force. Deletes a block that has ended. */
export const eraseBlock = async (tx: Tx, memberId: string): Promise<void> => {
  await tx.execute(sql`delete from member_blocks where member_id = ${memberId} and until <= clock_now()`)
  await tx.execute(sql`update member_blocks set reason = null where member_id = ${memberId}`)
}

/**
 * Returns the name of a member; null if the member was erased and is blocked; undefined if this service does not know
 * them.
 */
export const findBlocked = (tx: Tx, memberId: string) =>
  tx.maybeOne<{ username: string | null }>(sql`
    select u.username from (select ${memberId}::text as id) asked
    left join members u on u.id = asked.id left join member_blocks b on b.member_id = asked.id
    where u.id is not null or b.member_id is not null`)
