import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** A new single sign-on: the sign-in of one browser at the service, with the digest of its cookie value. */
interface NewSso {
  readonly id: string
  readonly digest: string
  readonly memberId: string
  readonly ttlSec: number
  readonly ip: string | null
  readonly userAgent: string | null
}

export const insertSso = (tx: Tx, s: NewSso) =>
  tx.execute(sql`
    insert into sso_sessions (id, digest, member_id, ip, user_agent, expires_at)
    values (${s.id}, ${s.digest}, ${s.memberId}, ${s.ip}, ${s.userAgent},
      clock_now() + ${s.ttlSec}::int * interval '1 second')`)

/**
 * Uses a single sign-on for a project, and replaces its value, in one statement. Stores the used value, so that its
 * next use is recognized. Returns undefined if the value is not valid, or if the project ended all sessions of this
 * member or the member was blocked since the single sign-on started.
 *
 * If two tabs send the same value within the grace period, both succeed. Only the first replaces the value. For the
 * other one, `rotated` is false, and it must not set a cookie.
 */
export const rotateSso = (
  db: Queryable,
  q: { digest: string; newDigest: string; projectId: string; graceSec: number },
) =>
  db.maybeOne<{ id: string; memberId: string; remainingSec: number; rotated: boolean }>(sql`
    with used as (
      update sso_sessions s set
        digest = case when s.digest = ${q.digest} then ${q.newDigest} else s.digest end,
        previous_digest = case when s.digest = ${q.digest} then s.digest else s.previous_digest end,
        rotated_at = case when s.digest = ${q.digest} then clock_now() else s.rotated_at end
      where s.expires_at > clock_now() and not is_void_by_block(s.member_id, s.created_at)
        and (s.digest = ${q.digest} or (s.previous_digest = ${q.digest}
          and s.rotated_at > clock_now() - ${q.graceSec}::int * interval '1 second'))
        and not exists (
          select from project_logouts l
          where l.project_id = ${q.projectId} and l.member_id = s.member_id and l.at >= s.created_at)
      returning s.id, s.member_id, s.digest = ${q.newDigest} as rotated, s.expires_at),
    spent as (
      insert into spent_sso (digest, sso_id) select ${q.digest}, id from used where rotated)
    select id, member_id as "memberId", rotated,
      extract(epoch from expires_at - clock_now())::int as "remainingSec"
    from used`)

/**
 * Returns the member whom a value signs in, and the time of that sign-in, without using the value. With a project,
 * returns undefined if the project ended all sessions of the member since.
 */
export const findSso = (
  db: Queryable,
  { digest, graceSec, projectId }: { digest: string; graceSec: number; projectId: string | undefined },
) =>
  db.maybeOne<{ id: string; memberId: string; beganAt: Date }>(sql`
    select s.id, s.member_id as "memberId", s.created_at as "beganAt" from sso_sessions s
    where s.expires_at > clock_now() and not is_void_by_block(s.member_id, s.created_at)
      and (s.digest = ${digest} or (s.previous_digest = ${digest}
        and s.rotated_at > clock_now() - ${graceSec}::int * interval '1 second'))
      and not exists (
        select from project_logouts l
        where l.project_id = ${projectId ?? null}::uuid and l.member_id = s.member_id and l.at >= s.created_at)`)

/** Ends the single sign-on of a value that was replaced longer ago than the grace period. Returns its member. */
export const deleteSsoOfSpent = (tx: Tx, digest: string, graceSec: number) =>
  tx.maybeOne<{ memberId: string; username: string }>(sql`
    delete from sso_sessions s using spent_sso t, members u
    where t.digest = ${digest} and t.sso_id = s.id and u.id = s.member_id
      and t.spent_at <= clock_now() - ${graceSec}::int * interval '1 second'
    returning s.member_id as "memberId", u.username`)

/**
 * Locks a single sign-on for a sign-in to a project, so that it does not end until the transaction ends. Returns false
 * if it has ended, or if the project has ended all sessions of the member since it started. The second statement begins
 * after the lock was acquired, so it sees a sign-out that the lock waited for.
 */
export const lockSso = async (tx: Tx, { id, projectId }: { id: string; projectId: string }) =>
  (await tx.maybeOne(sql`
    select from sso_sessions
    where id = ${id} and expires_at > clock_now() and not is_void_by_block(member_id, created_at) for share`)) !==
    undefined &&
  (await tx.maybeOne(sql`
    select from sso_sessions s join project_logouts l on l.member_id = s.member_id and l.at >= s.created_at
    where s.id = ${id} and l.project_id = ${projectId}`)) === undefined

/** Ends a single sign-on by its current value or a former one. */
export const deleteSso = (db: Queryable, digest: string) =>
  db.execute(sql`
    delete from sso_sessions where id in (
      select id from sso_sessions where digest = ${digest} or previous_digest = ${digest}
      union all
      select sso_id from spent_sso where digest = ${digest})`)

/** Ends all but the newest `limit` single sign-ons of a member. */
export const trimSso = (tx: Tx, memberId: string, limit: number) =>
  tx.execute(sql`
    delete from sso_sessions where id in (
      select id from sso_sessions where member_id = ${memberId}
      order by created_at desc, id desc offset ${limit})`)
