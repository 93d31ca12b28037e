import { selectFields } from '#member/columns'
import { heldElsewhere } from '#platform/db/batcher'
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
  /**
   * The secrets, as digests, of the sign-ins that this browser began. One must be the code's. Null accepts any browser.
   */
  readonly browserDigests: readonly string[] | null
}

/** Determines whether a statement waits for a row that another transaction holds, or skips it. */
type IfHeld = 'wait' | 'skip'
const skipLocked: Readonly<Record<IfHeld, Sql>> = { wait: sql``, skip: sql`skip locked` }

const codeColumns = sql`code_digest, project_id, redirect_uri, challenge, browser_digests`
/** The columns of presented codes, each an array. */
const codeValues = (claims: readonly CodeClaim[]): Sql => sql`
  ${claims.map(({ codeDigest }) => codeDigest)}::text[], ${claims.map(({ projectId }) => projectId)}::uuid[],
  ${claims.map(({ redirectUri }) => redirectUri)}::text[], ${claims.map(({ challenge }) => challenge)}::text[],
  ${claims.map(({ browserDigests }) => browserDigests && `{${browserDigests.join(',')}}`)}::text[]`
const presented = (claim: CodeClaim): Sql => sql`unnest(${codeValues([claim])}) as q (${codeColumns})`

/** All conditions on a code except expiry and use. */
const codeFits = sql`
  c.digest = q.code_digest
  and c.project_id is not distinct from q.project_id
  and (q.redirect_uri is null or c.redirect_uri = q.redirect_uri)
  and (q.browser_digests is null or c.browser_digest = any(q.browser_digests::text[]))
  and c.code_challenge is not distinct from q.challenge`

/**
 * Repeats the checks of authorize. A code is invalid if, since the callback, its project lost the redirect URI or the
 * server, or was deleted or deactivated, or if its member was blocked.
 */
const isRedeemable = sql`c.used_at is null and c.expires_at > clock_now() and (c.project_id is null or exists (
  select from projects p join readable_servers r on r.project_id = p.id and r.server_id = c.server_id
  where p.id = c.project_id and p.deleted_at is null and p.deactivated_at is null
    and exists (select from project_callbacks k where k.project_id = p.id and k.uri = c.redirect_uri)))
  and not is_void_by_block(c.member_id, c.created_at)`

/**
 * Records that members were active. Writes in the order of their IDs, so that two statements cannot deadlock. Skips
 * times that are only minutes newer, because readers need days.
 */
export const noteActivity = (members: Sql): Sql => sql`
  insert into member_activity as a (member_id, seen_at)
  select distinct member_id, clock_now() from ${members} order by member_id
  on conflict (member_id) do update set seen_at = excluded.seen_at
  where a.seen_at < excluded.seen_at - interval '10 minutes'`

/** A presented code, and the session that it creates. */
export interface Redemption {
  readonly claim: CodeClaim
  readonly session: NewSession
}

export interface Redeemed {
  readonly memberId: string
  readonly username: string
  readonly serverId: string
  readonly expiresAt: Date
}

/**
 * Redeems codes for sessions in one statement. The condition `used_at is null` on the locked row makes a code
 * single-use: of any number of simultaneous attempts, exactly one matches. Returns undefined for an invalid code. Its
 * steps, by name:
 *
 * - `locked`: the codes, as in `rotatePairs`.
 * - `code`: the valid ones, marked as used.
 * - `created`, `active`: the sessions, and the activity of their members.
 *
 * With `skip`, codes that another transaction holds are skipped.
 */
export async function redeemCodes(
  query: Queryable['query'],
  redemptions: readonly Redemption[],
  ifHeld: IfHeld,
): Promise<(Redeemed | undefined | typeof heldElsewhere)[]> {
  const column = <Key extends keyof NewSession>(key: Key) => redemptions.map(({ session }) => session[key])
  const rows = await query<{ id: string } & (Redeemed | { memberId: null })>(sql`
    with asked as (
      select * from unnest(${codeValues(redemptions.map(({ claim }) => claim))},
        ${column('id')}::uuid[], ${column('tokenDigest')}::text[], ${column('refreshDigest')}::text[],
        ${column('ip')}::text[], ${column('userAgent')}::text[], ${column('ttlSec')}::int[],
        ${column('maxAgeSec')}::int[]) with ordinality
        as q (${codeColumns}, session_id, token_digest, refresh_digest, ip, user_agent, ttl_sec, max_age_sec, n)),
    locked as (
      select q.*, ${codeFits} and ${isRedeemable} as fits from asked q cross join lateral (
        select * from authorization_codes c where c.digest = q.code_digest
        for no key update ${skipLocked[ifHeld]}) c
      order by q.code_digest),
    code as (
      update authorization_codes c set used_at = clock_now(), session_id = q.session_id
      from locked q where q.fits and c.digest = q.code_digest
      returning q.session_id, q.token_digest, q.refresh_digest, q.ttl_sec, q.max_age_sec, c.member_id, c.server_id,
        c.project_id, coalesce(q.ip, c.ip) as ip, coalesce(q.user_agent, c.user_agent) as user_agent),
    created as (
      insert into sessions (id, project_id, member_id, server_id, membership_generation, token_digest, refresh_digest,
        ip, user_agent, expires_at, max_expires_at)
      select c.session_id, c.project_id, c.member_id, c.server_id, m.generation, c.token_digest, c.refresh_digest, c.ip,
        c.user_agent, clock_now() + least(c.ttl_sec, c.max_age_sec) * interval '1 second',
        clock_now() + c.max_age_sec * interval '1 second'
      from code c cross join lateral (
        select * from memberships m where m.server_id = c.server_id and m.member_id = c.member_id offset 0) m
      where m.left_at is null
      returning id, member_id, server_id, expires_at),
    active as (${noteActivity(sql`created`)})
    select s.id, s.member_id as "memberId", u.username, s.server_id as "serverId", s.expires_at as "expiresAt"
    from created s join members u on u.id = s.member_id
    union all
    select q.session_id, null, null, null, null from asked q
    where q.n not in (select n from locked)
      and exists (select from authorization_codes c where c.digest = q.code_digest)`)
  const found = new Map(rows.map((row) => [row.id, row]))
  return redemptions.map(({ session }) => {
    const row = found.get(session.id)
    return row?.memberId === null ? heldElsewhere : row
  })
}

/** Ends the session that a code created, because a used code that is presented again is known to two parties. */
export const revokeSessionOfCode = (tx: Tx, claim: CodeClaim) =>
  tx.maybeOne<{ memberId: string; username: string }>(sql`
    update sessions s set revoked_at = clock_now(), revoked_reason = 'code_reused'
    from ${presented(claim)}, authorization_codes c join members u on u.id = c.member_id
    where ${codeFits} and c.session_id = s.id and s.revoked_at is null
    returning s.member_id as "memberId", u.username`)

/** Returns true if the code would be valid if its member had not been blocked since. The block may have voided it. */
export const isCodeOfBlockedMember = async (db: Queryable, claim: CodeClaim): Promise<boolean> =>
  (await db.maybeOne(sql`
    select from ${presented(claim)}, authorization_codes c
    where ${codeFits} and c.session_id is null and c.expires_at > clock_now()
      and is_void_by_block(c.member_id, c.created_at)`)) !== undefined

/** Returns a row if the code would be valid with a verifier, which the caller omitted, and is still unused. */
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
 * Replaces the pairs of sessions in one statement that cannot succeed twice: both old digests are compared with those
 * of the locked row. Used pairs are stored, so that their next use is recognized. Returns the expiry of each new pair,
 * or undefined for a pair that is not the current one of a live session. If pairs are equal, one succeeds. Its steps,
 * by name:
 *
 * - `locked`: the sessions, found by their primary key alone. With a condition of another index, the planner might scan
 *   that index while the table is young. They are sorted, so that all are locked before the first is written.
 * - `rotated`: the new pairs of the matching sessions.
 * - `active`, `spent`: the activity of their members, and the used pairs.
 *
 * With `skip`, sessions that another transaction holds are skipped.
 */
export async function rotatePairs(
  query: Queryable['query'],
  rotations: readonly Rotation[],
  ifHeld: IfHeld,
): Promise<(Date | undefined | typeof heldElsewhere)[]> {
  const column = <Key extends keyof Rotation>(key: Key) => rotations.map((one) => one[key])
  const rows = await query<{ n: number; expiresAt: Date | null }>(sql`
    with asked as (
      select * from unnest(${column('sessionId')}::uuid[], ${column('tokenDigest')}::text[],
        ${column('refreshDigest')}::text[], ${column('newTokenDigest')}::text[], ${column('newRefreshDigest')}::text[],
        ${column('ttlSec')}::int[]) with ordinality
        as q (session_id, token_digest, refresh_digest, new_token_digest, new_refresh_digest, ttl_sec, n)),
    locked as (
      select q.*, s.token_digest = q.token_digest and s.refresh_digest = q.refresh_digest
          and s.revoked_at is null and s.expires_at > clock_now() as fits
      from asked q cross join lateral (
        select * from sessions s where s.id = q.session_id
        for update ${skipLocked[ifHeld]}) s
      order by q.session_id),
    rotated as (
      update sessions s set token_digest = q.new_token_digest, refresh_digest = q.new_refresh_digest,
        rotation = s.rotation + 1,
        expires_at = least(clock_now() + q.ttl_sec * interval '1 second', s.max_expires_at)
      from locked q where q.fits and s.id = q.session_id
      returning q.n, s.id, s.member_id, s.rotation, s.expires_at, q.token_digest, q.refresh_digest),
    active as (${noteActivity(sql`rotated`)}),
    spent as (
      insert into spent_tokens (token_digest, refresh_digest, session_id, rotation)
      select token_digest, refresh_digest, id, rotation - 1 from rotated)
    select n, expires_at as "expiresAt" from rotated
    union all
    select n, null from asked where n not in (select n from locked)`)
  const outcomes: (Date | undefined | typeof heldElsewhere)[] = rotations.map(() => undefined)
  for (const { n, expiresAt } of rows) outcomes[n - 1] = expiresAt ?? heldElsewhere
  return outcomes
}

export interface SpentPair {
  readonly sessionId: string
  readonly memberId: string
  readonly username: string
  /** True for the pair before the current one, if it was used less than the grace period ago. */
  readonly isJustSuperseded: boolean
}

/** Finds a used refresh token of a live session that was presented with a current or former token of that session. */
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

/** Revokes a session. Events report the reason. */
export const revokeSessionById = (
  db: Queryable,
  sessionId: string,
  reason: 'logout' | 'refresh_token_reused',
) =>
  db.execute(sql`
    update sessions set revoked_at = clock_now(), revoked_reason = ${reason}
    where id = ${sessionId} and revoked_at is null`)

export interface Logout {
  readonly projectId: string
  /** The digest of a token or refresh token. */
  readonly digest: string
}

/**
 * Ends sessions of projects in one statement, each by a current or former token or refresh token. Former ones count,
 * because a rotation that commits just before must not save the session from its logout. With `skip`, skips sessions
 * that another transaction holds, and returns the indexes of their logouts.
 */
export async function revokeByTokens(
  query: Queryable['query'],
  logouts: readonly Logout[],
  ifHeld: IfHeld,
): Promise<ReadonlySet<number>> {
  const rows = await query<{ n: number }>(sql`
    with found as (
      select q.n, s.id from unnest(${logouts.map(({ digest }) => digest)}::text[],
        ${logouts.map(({ projectId }) => projectId)}::uuid[]) with ordinality as q (digest, project_id, n)
      cross join lateral (
        select id from sessions where token_digest = q.digest
        union all select id from sessions where refresh_digest = q.digest
        union all select session_id from spent_tokens where token_digest = q.digest
        union all select session_id from spent_tokens where refresh_digest = q.digest) t
      cross join lateral (select * from sessions s where s.id = t.id offset 0) s
      where s.project_id = q.project_id and s.revoked_at is null),
    locked as (
      select f.n, f.id, s.revoked_at is null as is_live from found f cross join lateral (
        select * from sessions s where s.id = f.id
        for no key update ${skipLocked[ifHeld]}) s
      order by f.id),
    ended as (
      update sessions s set revoked_at = clock_now(), revoked_reason = 'logout'
      from locked q where q.is_live and s.id = q.id)
    select n from found where n not in (select n from locked)`)
  return new Set(rows.map(({ n }) => n - 1))
}

/**
 * Voids the codes of a member in a project that are not redeemed yet. Waits for those being redeemed now, so that the
 * next statement finds the sessions that they create.
 */
export const voidCodes = (tx: Tx, projectId: string, memberId: string) =>
  tx.execute(sql`
    update authorization_codes set used_at = clock_now()
    where member_id = ${memberId} and project_id = ${projectId} and used_at is null`)

export const revokeMemberInProject = (tx: Tx, projectId: string, memberId: string) =>
  tx.execute(sql`
    update sessions set revoked_at = clock_now(), revoked_reason = 'logout_all'
    where member_id = ${memberId} and project_id = ${projectId} and revoked_at is null`)

/** Records that a project ended all sessions of a member, so that earlier single sign-on does not undo it. */
export const markLogoutAll = (tx: Tx, projectId: string, memberId: string) =>
  tx.execute(sql`
    insert into project_logouts (project_id, member_id)
    select ${projectId}, id from members where id = ${memberId} for key share
    on conflict (project_id, member_id) do update set at = clock_now()`)

/**
 * Reads one membership for the response of an exchange, with the roles that the member has in the server, highest
 * first.
 */
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
