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
 * Locks a member until the transaction ends, so that changes of their block take turns and "before" is what was there.
 * Returns the name, and whether this end is in the future; undefined for an unknown member.
 */
export const lockBlockable = (tx: Tx, memberId: string, until: string | null) =>
  tx.maybeOne<{ username: string; isToCome: boolean }>(sql`
    select username, ${until}::timestamptz is null or ${until}::timestamptz > clock_now() as "isToCome"
    from members where id = ${memberId} for no key update`)

/**
 * Begins a block, or changes the one in force; undefined where reason and end are these already. One that is over begins
 * anew.
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
 * Ends the block that is in force; undefined when there is none. It ends at this very moment, never before it began: logins
 * that were made until then stay void. Whole milliseconds, rounded down, so that the next transaction sees it as over.
 */
export const endBlock = (tx: Tx, memberId: string) =>
  tx.maybeOne<{ reason: string | null }>(sql`
    update member_blocks set until = date_trunc('milliseconds', clock_moment())
    where member_id = ${memberId} and (until is null or until > clock_moment())
    returning reason`)

/** Takes the reason from a block in force, which goes on; one that is over is deleted. */
export const eraseBlock = async (tx: Tx, memberId: string): Promise<void> => {
  await tx.execute(sql`delete from member_blocks where member_id = ${memberId} and until <= clock_now()`)
  await tx.execute(sql`update member_blocks set reason = null where member_id = ${memberId}`)
}

/** The name of a member; null of one who was erased and is blocked; undefined when this service never heard of them. */
export const findBlocked = (tx: Tx, memberId: string) =>
  tx.maybeOne<{ username: string | null }>(sql`
    select u.username from (select ${memberId}::text as id) asked
    left join members u on u.id = asked.id left join member_blocks b on b.member_id = asked.id
    where u.id is not null or b.member_id is not null`)
