import { selectFields } from '#member/columns'
import type { Queryable, Tx } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import { type MemberParts, type Profile, profileFields, toProfileJson } from '#responses/member-json'
import type { Role } from '#responses/roles'

export interface NewSession {
  readonly id: string
  readonly tokenDigest: string
  readonly refreshDigest: string
  readonly ip: string | null
  readonly userAgent: string | null
  readonly ttlSec: number
  readonly maxAgeSec: number
}

export interface CodeClaim {
  readonly codeDigest: string
  /** Null for the code of an admin login. */
  readonly projectId: string | null
  readonly redirectUri: string | null
  /** BASE64URL(SHA256(verifier)); null when no verifier was sent. */
  readonly challenge: string | null
  /** Of the logins that this browser began, one of which must be the code's; null where any browser will do. */
  readonly browserDigests: readonly string[] | null
}

/** Everything that must fit for a code to be good, but that it is unused and in time. */
const codeFits = (claim: CodeClaim) => sql`
  c.digest = ${claim.codeDigest}
  and c.project_id is not distinct from ${claim.projectId}::uuid
  and (${claim.redirectUri}::text is null or c.redirect_uri = ${claim.redirectUri})
  and (${claim.browserDigests}::text[] is null or c.browser_digest = any(${claim.browserDigests}::text[]))
  and c.code_challenge is not distinct from ${claim.challenge}::text`

/**
 * What authorize asked is asked again: of a project that lost the redirect URI, the server or its place since the
 * callback, a code is worth nothing. So is one of a member who was blocked since.
 */
const isStillAllowed = sql`(c.project_id is null or exists (
  select from projects p join readable_servers r on r.project_id = p.id and r.server_id = c.server_id
  where p.id = c.project_id and p.deleted_at is null and p.deactivated_at is null
    and exists (select from project_callbacks k where k.project_id = p.id and k.uri = c.redirect_uri)))
  and not is_void_by_block(c.member_id, c.created_at)`

/** Notes that a member was here. Days are asked for: what is minutes newer is not worth a write. */
const noteActivity = (members: Sql): Sql => sql`
  insert into member_activity as a (member_id, seen_at) select member_id, clock_now() from ${members}
  on conflict (member_id) do update set seen_at = excluded.seen_at
  where a.seen_at < excluded.seen_at - interval '10 minutes'`

/**
 * Redeems a code for a session in one statement. `used_at is null` in the predicate makes it single-use:
 * of any number of simultaneous tries the database lets exactly one match.
 */
export const redeemCode = (tx: Tx, claim: CodeClaim, session: NewSession) =>
  tx.maybeOne<{ memberId: string; username: string; serverId: string; expiresAt: Date }>(sql`
    with code as (
      update authorization_codes c set used_at = clock_now(), session_id = ${session.id}
      where ${codeFits(claim)} and c.used_at is null and c.expires_at > clock_now() and ${isStillAllowed}
      returning c.member_id, c.server_id, c.project_id, c.ip, c.user_agent),
    made as (insert into sessions (id, project_id, member_id, server_id, membership_generation, token_digest,
      refresh_digest, ip, user_agent, expires_at, max_expires_at)
    select ${session.id}, c.project_id, c.member_id, c.server_id, m.generation, ${session.tokenDigest},
      ${session.refreshDigest}, coalesce(${session.ip}, c.ip), coalesce(${session.userAgent}, c.user_agent),
      clock_now() + least(${session.ttlSec}::int, ${session.maxAgeSec}::int) * interval '1 second',
      clock_now() + ${session.maxAgeSec}::int * interval '1 second'
    from code c join memberships m
      on m.server_id = c.server_id and m.member_id = c.member_id and m.left_at is null
    returning member_id, server_id, expires_at),
    active as (${noteActivity(sql`made`)})
    select s.member_id as "memberId", u.username, s.server_id as "serverId", s.expires_at as "expiresAt"
    from made s join members u on u.id = s.member_id`)

/** Ends the session that a code made: whoever presents a used code shows that two hold it. */
export const revokeSessionOfCode = (tx: Tx, claim: CodeClaim) =>
  tx.maybeOne<{ memberId: string; username: string }>(sql`
    update sessions s set revoked_at = clock_now(), revoked_reason = 'code_reused'
    from authorization_codes c join members u on u.id = c.member_id
    where ${codeFits(claim)} and c.session_id = s.id and s.revoked_at is null
    returning s.member_id as "memberId", u.username`)

/** True when the code would have been good, had its member not been blocked since; the block may have voided it. */
export const isCodeOfBlocked = async (db: Queryable, claim: CodeClaim): Promise<boolean> =>
  (await db.maybeOne(sql`
    select from authorization_codes c
    where ${codeFits(claim)} and c.session_id is null and c.expires_at > clock_now()
      and is_void_by_block(c.member_id, c.created_at)`)) !== undefined

/** True when the code would have been good with a verifier: the caller forgot it, and nothing is lost. */
export const codeAwaitsVerifier = (db: Queryable, claim: CodeClaim) =>
  db.maybeOne(sql`
    select from authorization_codes c
    where c.digest = ${claim.codeDigest} and c.project_id is not distinct from ${claim.projectId}::uuid
      and (${claim.redirectUri}::text is null or c.redirect_uri = ${claim.redirectUri}) and c.code_challenge is not null
      and c.used_at is null and c.expires_at > clock_now()`)

export interface Rotation {
  readonly sessionId: string
  readonly tokenDigest: string
  readonly refreshDigest: string
  readonly newTokenDigest: string
  readonly newRefreshDigest: string
  readonly ttlSec: number
}

/**
 * Replaces the pair of a session in one statement that cannot succeed twice: both old digests are in its
 * predicate. The used pair is kept, so that its next use is recognised.
 */
export const rotatePair = (db: Queryable, r: Rotation) =>
  db.maybeOne<{ expiresAt: Date }>(sql`
    with rotated as (
      update sessions set token_digest = ${r.newTokenDigest}, refresh_digest = ${r.newRefreshDigest},
        rotation = rotation + 1,
        expires_at = least(clock_now() + ${r.ttlSec}::int * interval '1 second', max_expires_at)
      where id = ${r.sessionId} and token_digest = ${r.tokenDigest} and refresh_digest = ${r.refreshDigest}
        and revoked_at is null and expires_at > clock_now()
      returning id, member_id, rotation, expires_at),
    active as (${noteActivity(sql`rotated`)}),
    spent as (
      insert into spent_tokens (token_digest, refresh_digest, session_id, rotation)
      select ${r.tokenDigest}, ${r.refreshDigest}, id, rotation - 1 from rotated)
    select expires_at as "expiresAt" from rotated`)

export interface SpentPair {
  readonly sessionId: string
  readonly memberId: string
  readonly username: string
  /** True for the pair before the current one, used up less than the grace ago. */
  readonly isJustSuperseded: boolean
}

/** A used refresh token of a session that still lives, presented with a token that the session had or has. */
export const findSpentPair = (
  db: Queryable,
  q: { tokenDigest: string; refreshDigest: string; graceSec: number },
) =>
  db.maybeOne<SpentPair>(sql`
    select s.id as "sessionId", s.member_id as "memberId", u.username,
      t.rotation = s.rotation - 1
        and t.spent_at > clock_now() - ${q.graceSec}::int * interval '1 second' as "isJustSuperseded"
    from spent_tokens t
    join sessions s on s.id = t.session_id and s.revoked_at is null and s.expires_at > clock_now()
    join members u on u.id = s.member_id
    where t.refresh_digest = ${q.refreshDigest}
      and (s.token_digest = ${q.tokenDigest} or exists (
        select from spent_tokens o where o.token_digest = ${q.tokenDigest} and o.session_id = s.id))`)

/** The reason is what events tell of it. */
export const revokeSessionById = (
  db: Queryable,
  sessionId: string,
  reason: 'logout' | 'refresh_token_reused',
) =>
  db.execute(sql`
    update sessions set revoked_at = clock_now(), revoked_reason = ${reason}
    where id = ${sessionId} and revoked_at is null`)

/**
 * Ends a session of a project by a token or refresh token that it has or had. Used ones count: a rotation
 * that commits just before must not carry the session past its logout.
 */
export const revokeByToken = (db: Queryable, projectId: string | null, digest: string) =>
  db.execute(sql`
    update sessions set revoked_at = clock_now(), revoked_reason = 'logout'
    where revoked_at is null and project_id is not distinct from ${projectId}::uuid and id in (
      select id from sessions where token_digest = ${digest} or refresh_digest = ${digest}
      union all
      select session_id from spent_tokens where token_digest = ${digest} or refresh_digest = ${digest})`)

/**
 * Voids the codes of a member in a project that are not redeemed yet. Waits for those being redeemed right
 * now, so that the sessions which they make are there for the statement after this one.
 */
export const voidCodes = (tx: Tx, projectId: string, memberId: string) =>
  tx.execute(sql`
    update authorization_codes set used_at = clock_now()
    where member_id = ${memberId} and project_id = ${projectId} and used_at is null`)

export const revokeMemberInProject = (tx: Tx, projectId: string, memberId: string) =>
  tx.execute(sql`
    update sessions set revoked_at = clock_now(), revoked_reason = 'logout_all'
    where member_id = ${memberId} and project_id = ${projectId} and revoked_at is null`)

/** Remembers that a project ended everything of a member: single sign-on from before does not undo it. */
export const markLogoutAll = (tx: Tx, projectId: string, memberId: string) =>
  tx.execute(sql`
    insert into project_logouts (project_id, member_id)
    select ${projectId}, id from members where id = ${memberId} for key share
    on conflict (project_id, member_id) do update set at = clock_now()`)

/** One membership, for the answer of an exchange, with the roles of the server that are held, highest first. */
export async function readMembership(db: Queryable, serverId: string, memberId: string) {
  const row = await db.maybeOne<
    Omit<MemberParts, 'profileJson'> &
      Profile & { readonly roleIds: readonly string[]; readonly roles: readonly Role[] }
  >(sql`
    select u.id, ${selectFields(profileFields)},
      (extract(epoch from u.created_at) * 1000)::float8 as "createdAtMs",
      (extract(epoch from u.updated_at) * 1000)::float8 as "updatedAtMs",
      u.is_club_member as "isClubMember", m.nick, m.role_ids as "roleIds",
      (extract(epoch from m.synced_at) * 1000)::float8 as "syncedAtMs",
      (select coalesce(json_agg(json_build_object('id', r.id, 'name', r.name, 'color', r.color,
          'position', r.position) order by r.position desc, r.id), '[]')
        from roles r where r.server_id = m.server_id and r.id = any(m.role_ids)) as roles
    from memberships m join members u on u.id = m.member_id
    where m.server_id = ${serverId} and m.member_id = ${memberId} and m.left_at is null`)
  return row && { ...row, profileJson: toProfileJson(row) }
}
