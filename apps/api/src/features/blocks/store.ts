import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

// In SQL, `clock_now` is the time at which the transaction began, and `clock_moment` is the present time. Changes of a
// block use the present time, because the transaction may have waited for a lock, and the member may have signed in
// meanwhile.

/** A block of a member. */
export interface BlockRow {
  /** Null if the member was erased. */
  readonly reason: string | null
  readonly since: Date
  /** Null if the block has no end. */
  readonly until: Date | null
}

/** Returns the block of a member that is in force now, or undefined. */
export const findBlock = (db: Queryable, memberId: string) =>
  db.maybeOne<BlockRow>(sql`
    select reason, since, until from member_blocks
    where member_id = ${memberId} and (until is null or until > clock_now())`)

/** Returns the block of a member that is in force now, and locks it until the transaction ends. */
export const lockBlock = (tx: Tx, memberId: string) =>
  tx.maybeOne<BlockRow>(sql`
    select reason, since, until from member_blocks
    where member_id = ${memberId} and (until is null or until > clock_moment()) for no key update`)

/**
 * Locks a member until the transaction ends, so that changes to the member's block run one after another. Returns the
 * name, and whether the end of the block is in the future. Returns undefined for an unknown member.
 */
export const lockBlockable = (tx: Tx, memberId: string, until: string | null) =>
  tx.maybeOne<{ username: string; isToCome: boolean }>(sql`
    select username, ${until}::timestamptz is null or ${until}::timestamptz > clock_now() as "isToCome"
    from members where id = ${memberId} for no key update`)

/**
 * Starts a block, or changes the block in force. Returns undefined if the block has this reason and end already. A
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
 * Ends the block in force. Returns undefined if the member is not blocked. The row is kept, with this moment as its
 * end, because it still voids the sessions from before. The time is rounded down to whole milliseconds, so that the
 * next transaction sees the block as ended.
 */
export const endBlock = (tx: Tx, memberId: string) =>
  tx.maybeOne<{ reason: string | null }>(sql`
    update member_blocks set until = date_trunc('milliseconds', clock_moment())
    where member_id = ${memberId} and (until is null or until > clock_moment())
    returning reason`)

/**
 * Removes the data of an erased member: deletes a block that has ended, and removes the reason from one in force.
 */
export const eraseBlock = async (tx: Tx, memberId: string): Promise<void> => {
  await tx.execute(sql`delete from member_blocks where member_id = ${memberId} and until <= clock_now()`)
  await tx.execute(sql`update member_blocks set reason = null where member_id = ${memberId}`)
}

/**
 * Returns the name of a member, for the removal of a block. The name is null if the member was erased and has a block.
 * Returns undefined if the service knows neither the member nor a block.
 */
export const findBlocked = (tx: Tx, memberId: string) =>
  tx.maybeOne<{ username: string | null }>(sql`
    select u.username from (select ${memberId}::text as id) asked
    left join members u on u.id = asked.id left join member_blocks b on b.member_id = asked.id
    where u.id is not null or b.member_id is not null`)
