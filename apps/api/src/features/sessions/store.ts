import { rolesAsJson, selectFields } from '#member/columns'
import { heldElsewhere } from '#platform/db/batcher'
import type { Queryable, Tx } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import { type MemberParts, type Profile, profileFields, toProfileJson } from '#responses/member-json'
import type { Role } from '#responses/roles'

/** The session that a redemption creates. The code supplies its project, member, and server. */
export interface NewSession {
  readonly id: string
  readonly tokenDigest: string
  readonly refreshDigest: string
  /** If null, the value stored with the code is used. The same applies to `userAgent`. */
  readonly ip: string | null
  readonly userAgent: string | null
  readonly ttlSec: number
  /** Seconds after which no refresh can extend the session. */
  readonly maxAgeSec: number
}

/** A presented code as a digest, with the values that must match the stored code. */
export interface CodeClaim {
  readonly codeDigest: string
  /** Null for the code of an admin sign-in. */
  readonly projectId: string | null
  /** Null accepts any redirect URI. */
  readonly redirectUri: string | null
  /** The challenge of the PKCE verifier: BASE64URL(SHA256(verifier)). Null if no verifier was sent. */
  readonly challenge: string | null
  /** The digested secrets of the sign-ins that this browser began. One must match. Null accepts any browser. */
  readonly browserDigests: readonly string[] | null
}

/** Determines whether a statement waits for a row that another transaction locked, or returns `heldElsewhere`. */
type IfLocked = 'wait' | 'skip'
const skipLocked: Readonly<Record<IfLocked, Sql>> = { wait: sql``, skip: sql`skip locked` }

const codeColumns = sql`code_digest, project_id, redirect_uri, challenge, browser_digests`
/** The columns of presented codes, each an array. */
const codeValues = (claims: readonly CodeClaim[]): Sql => sql`
  ${claims.map(({ codeDigest }) => codeDigest)}::text[], ${claims.map(({ projectId }) => projectId)}::uuid[],
  ${claims.map(({ redirectUri }) => redirectUri)}::text[], ${claims.map(({ challenge }) => challenge)}::text[],
  ${claims.map(({ browserDigests }) => browserDigests && `{${browserDigests.join(',')}}`)}::text[]`
const presented = (claim: CodeClaim): Sql => sql`unnest(${codeValues([claim])}) as q (${codeColumns})`

/** Matches a stored code `c` with a presented code `q`. Does not check the expiry, or whether the code was used. */
const codeFits = sql`
  c.digest = q.code_digest
  and c.project_id is not distinct from q.project_id
  and (q.redirect_uri is null or c.redirect_uri = q.redirect_uri)
  and (q.browser_digests is null or c.browser_digest = any(q.browser_digests::text[]))
  and c.code_challenge is not distinct from q.challenge`

/**
 * Checks that a code `c` is unused and not expired, and repeats the checks of `authorize`: the project may have lost
 * the redirect URI or the server, or been deleted or deactivated, and the member may have been blocked since.
 */
const isRedeemable = sql`c.used_at is null and c.expires_at > clock_now() and (c.project_id is null or exists (
  select from projects p join readable_servers r on r.project_id = p.id and r.server_id = c.server_id
  where p.id = c.project_id and p.deleted_at is null and p.deactivated_at is null
    and exists (select from project_callbacks k where k.project_id = p.id and k.uri = c.redirect_uri)))
  and not is_void_by_block(c.member_id, c.created_at)`

/**
 * Builds a step (CTE) that records that members were active. `members` is a step with the column `member_id`. Rows are
 * written in the order of their IDs, so that two statements cannot deadlock. A row that is at most 10 minutes old is
 * not updated, because readers need only the day.
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
 * single-use: of any number of simultaneous attempts, exactly one matches. Returns undefined for an invalid code.
 * Steps:
 *
 * - `locked`: the stored codes, locked as in `rotatePairs`.
 * - `code`: the valid codes, now marked as used.
 * - `created`, `active`: the sessions of the members who are still in the server, and the activity of these members.
 */
export async function redeemCodes(
  query: Queryable['query'],
  redemptions: readonly Redemption[],
  ifLocked: IfLocked,
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
        for no key update ${skipLocked[ifLocked]}) c
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

/** Ends the session that a code created, because two parties know a code that is presented twice. */
export const revokeSessionOfCode = (tx: Tx, claim: CodeClaim) =>
  tx.maybeOne<{ memberId: string; username: string }>(sql`
    update sessions s set revoked_at = clock_now(), revoked_reason = 'code_reused'
    from ${presented(claim)}, authorization_codes c join members u on u.id = c.member_id
    where ${codeFits} and c.session_id = s.id and s.revoked_at is null
    returning s.member_id as "memberId", u.username`)

/** Returns true if the code is unused and would be valid, had its member not been blocked since it was issued. */
export const isCodeOfBlockedMember = async (db: Queryable, claim: CodeClaim): Promise<boolean> =>
  (await db.maybeOne(sql`
    select from ${presented(claim)}, authorization_codes c
    where ${codeFits} and c.session_id is null and c.expires_at > clock_now()
      and is_void_by_block(c.member_id, c.created_at)`)) !== undefined

/** Returns a row if the code is unused and needs a PKCE verifier, which the caller omitted. */
export const codeAwaitsVerifier = (db: Queryable, claim: CodeClaim) =>
  db.maybeOne(sql`
    select from authorization_codes c
    where c.digest = ${claim.codeDigest} and c.project_id is not distinct from ${claim.projectId}::uuid
      and (${claim.redirectUri}::text is null or c.redirect_uri = ${claim.redirectUri}) and c.code_challenge is not null
      and c.used_at is null and c.expires_at > clock_now()`)

/** A refresh: the old token pair of a session, and the pair that replaces it. */
export interface Rotation {
  readonly sessionId: string
  readonly tokenDigest: string
  readonly refreshDigest: string
  readonly newTokenDigest: string
  readonly newRefreshDigest: string
  readonly ttlSec: number
}

/**
 * Replaces the token pairs of sessions in one statement. It compares both old digests with the locked row, so a pair
 * can be used only once, also if it is presented several times in the same batch. It stores the used pairs, so that
 * their next use is recognized. Returns the new expiry of each session, or undefined if the old pair is not the current
 * one of a live session. The steps of the statement:
 *
 * - `locked`: the sessions, found by their primary key alone. With a condition on another indexed column, the planner
 *   might scan that index while the table is small. The sort makes PostgreSQL lock all rows before it writes the first.
 * - `rotated`: the sessions that match, with their new pairs.
 * - `active`, `spent`: the activity of their members, and the used pairs.
 */
export async function rotatePairs(
  query: Queryable['query'],
  rotations: readonly Rotation[],
  ifLocked: IfLocked,
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
        for update ${skipLocked[ifLocked]}) s
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

/** A token pair that a refresh replaced, with its session and member. */
export interface SpentPair {
  readonly sessionId: string
  readonly memberId: string
  readonly username: string
  /** True if the current pair replaced this one directly, less than the grace period ago. */
  readonly isJustSuperseded: boolean
}

/** Finds a used refresh token of a live session, presented with a current or former token of the same session. */
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
  /** The digest of a session token or refresh token. */
  readonly digest: string
}

/**
 * Ends sessions of projects in one statement, each by a session token or refresh token. A former token counts, too: a
 * refresh that commits just before must not save the session. Ignores tokens that are unknown or of another project.
 * Returns the indexes of the logouts that `skip` skipped.
 */
export async function revokeByTokens(
  query: Queryable['query'],
  logouts: readonly Logout[],
  ifLocked: IfLocked,
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
        for no key update ${skipLocked[ifLocked]}) s
      order by f.id),
    ended as (
      update sessions s set revoked_at = clock_now(), revoked_reason = 'logout'
      from locked q where q.is_live and s.id = q.id)
    select n from found where n not in (select n from locked)`)
  return new Set(rows.map(({ n }) => n - 1))
}

/**
 * Voids the unused codes of a member in a project. Waits for a code that is redeemed at this moment, so that the next
 * statement of the transaction finds its session.
 */
export const invalidateCodes = (tx: Tx, projectId: string, memberId: string) =>
  tx.execute(sql`
    update authorization_codes set used_at = clock_now()
    where member_id = ${memberId} and project_id = ${projectId} and used_at is null`)

export const revokeMemberInProject = (tx: Tx, projectId: string, memberId: string) =>
  tx.execute(sql`
    update sessions set revoked_at = clock_now(), revoked_reason = 'logout_all'
    where member_id = ${memberId} and project_id = ${projectId} and revoked_at is null`)

/** Records that a project ended all sessions of a member, so that an earlier single sign-on cannot create another. */
export const markLogoutAll = (tx: Tx, projectId: string, memberId: string) =>
  tx.execute(sql`
    insert into project_logouts (project_id, member_id)
    select ${projectId}, id from members where id = ${memberId} for key share
    on conflict (project_id, member_id) do update set at = clock_now()`)

/**
 * Reads a member's profile, and their nickname and roles in one server, for the response of an exchange. The roles are
 * sorted, highest first. Returns undefined if the member is not in the server.
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
      (select ${rolesAsJson}
        from roles r where r.server_id = m.server_id and r.id = any(m.role_ids)) as roles
    from memberships m join members u on u.id = m.member_id
    where m.server_id = ${serverId} and m.member_id = ${memberId} and m.left_at is null`)
  return row && { ...row, profileJson: toProfileJson(row) }
}
