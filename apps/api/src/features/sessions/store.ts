import type { Database, Queryable, Tx } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'

/** What one gathered read says of an API key and, where one was asked for, a session of its project. */
export interface ValidateRow {
  /** Undefined when the key is unknown, revoked, replaced, or its project is deleted. */
  readonly projectId: string | undefined
  readonly isActive: boolean
  /** Undefined when this project has no live session with that token. */
  readonly session: ValidSession | undefined
}

export interface ValidSession {
  readonly serverId: string
  readonly memberId: string
  /** The finished answer up to the value of `rolesAsOf`. */
  readonly json: string
  /** False when its roles had to be put together for this read, because a change dropped the stored ones. */
  readonly isFinished: boolean
  readonly expiresAtMs: number
  readonly syncedAtMs: number
  /** As of this read. */
  ageMs: number
  /** When the gateway last vouched for this server's mirror; null while it does not. As of this read. */
  liveAsOfMs: number | null
}

export interface ValidateItem {
  readonly keyDigest: string
  /** Empty when only the key is asked about: no digest is empty. */
  readonly tokenDigest: string
}

/** Reads keys and sessions for many requests at once, in the order of the items. */
export async function readForValidate(db: Database, items: readonly ValidateItem[]): Promise<ValidateRow[]> {
  const rows = await db.gathered(
    validateStatement(
      items.map(({ keyDigest }) => keyDigest),
      items.map(({ tokenDigest }) => tokenDigest),
    ),
  )
  return rows.map(toValidateRow)
}

const validateStatement = (keyDigests: string[], tokenDigests: string[]): Sql => sql`
  select k.project_id, k.is_active, l.server_id, l.member_id,
    l.profile_json || ',"isClubMember":' || l.is_club_member,
    coalesce(l.answer_json, membership_answer(l.server_id, l.nick, l.role_ids)), l.answer_json is not null,
    l.session_json,
    (extract(epoch from l.expires_at) * 1000)::float8, (extract(epoch from l.synced_at) * 1000)::float8,
    (extract(epoch from clock_now() - l.synced_at) * 1000)::float8,
    case when l.live_until > clock_now() then (extract(epoch from l.live_as_of) * 1000)::float8 end
  from unnest(${keyDigests}::text[], ${tokenDigests}::text[]) with ordinality as q (key_digest, token_digest, n)
  left join lateral (
    select k.project_id, p.deactivated_at is null as is_active
    from api_keys k join projects p on p.id = k.project_id and p.deleted_at is null
    where k.digest = q.key_digest and k.revoked_at is null and k.replaced_at is null
    offset 0) k on true
  left join lateral (
    select * from live_sessions s where s.token_digest = q.token_digest
    offset 0) l on l.project_id = k.project_id
  order by q.n`

function toValidateRow(row: unknown[]): ValidateRow {
  const [projectId, isActive, serverId] = row as [string | null, boolean, string | null]
  if (serverId === null) return { projectId: projectId ?? undefined, isActive, session: undefined }
  const [memberId, memberJson, rolesJson, isFinished, sessionJson] = row.slice(3) as [
    string,
    string,
    string,
    boolean,
    string,
  ]
  const [expiresAtMs, syncedAtMs, ageMs, liveAsOfMs] = row.slice(8) as [number, number, number, number | null]
  const syncedAt = new Date(syncedAtMs).toISOString()
  const json = `{"member":{${memberJson},"syncedAt":"${syncedAt}",${rolesJson},${sessionJson},"rolesAsOf":"`
  return {
    projectId: projectId ?? undefined,
    isActive,
    session: { serverId, memberId, json, isFinished, expiresAtMs, syncedAtMs, ageMs, liveAsOfMs },
  }
}

/**
 * Makes the finished answer of memberships that have none, or one from before a change of roles. A
 * membership that changes meanwhile drops what is written here, and a change of roles makes it out of date.
 */
export const finishAnswers = (db: Database, serverIds: readonly string[], memberIds: readonly string[]) =>
  db.gathered(sql`
    update memberships m
    set answer_json = membership_answer(m.server_id, m.nick, m.role_ids), answer_roles_version = v.roles_version
    from unnest(${serverIds}::text[], ${memberIds}::text[]) as q (server_id, member_id)
    join servers v on v.id = q.server_id
    where m.server_id = q.server_id and m.member_id = q.member_id`)

/** A live session by its token, for Bearer authentication. */
export interface BearerRow {
  readonly id: string
  readonly memberId: string
  readonly username: string
  readonly projectId: string | null
  readonly serverId: string
  /** The session's server decides who is a System Admin: the main one, or the configured one while there is none. */
  readonly isMain: boolean
  readonly roleIds: readonly string[]
  readonly ageMs: number
  readonly isLive: boolean
}

export async function readForBearer(
  db: Database,
  tokenDigests: readonly string[],
  configuredServerId: string | undefined,
): Promise<(BearerRow | undefined)[]> {
  const rows = await db.gathered(sql`
    select s.id, s.member_id, u.username, s.project_id, s.server_id,
      s.is_main or (s.server_id = ${configuredServerId ?? null} and not exists (
        select from servers v where v.is_main)), s.role_ids,
      (extract(epoch from clock_now() - s.synced_at) * 1000)::float8,
      coalesce(s.live_until > clock_now(), false)
    from unnest(${tokenDigests}::text[]) with ordinality as q (token_digest, n)
    left join lateral (
      select * from live_sessions s where s.token_digest = q.token_digest offset 0) s on true
    left join members u on u.id = s.member_id
    order by q.n`)
  return rows.map((row) => {
    const [id, memberId, username, projectId, serverId, isMain, roleIds, ageMs, isLive] = row as [
      string | null,
      string,
      string,
      string | null,
      string,
      boolean,
      string[],
      number,
      boolean,
    ]
    return id === null
      ? undefined
      : { id, memberId, username, projectId, serverId, isMain, roleIds, ageMs, isLive }
  })
}

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
}

/** Everything that must fit for a code to be good, but that it is unused and in time. */
const codeFits = (claim: CodeClaim) => sql`
  c.digest = ${claim.codeDigest}
  and c.project_id is not distinct from ${claim.projectId}::uuid
  and (${claim.redirectUri}::text is null or c.redirect_uri = ${claim.redirectUri})
  and c.code_challenge is not distinct from ${claim.challenge}::text`

/**
 * Redeems a code for a session in one statement. `used_at is null` in the predicate makes it single-use:
 * of any number of simultaneous tries the database lets exactly one match.
 */
export const redeemCode = (tx: Tx, claim: CodeClaim, session: NewSession) =>
  tx.maybeOne<{ memberId: string; serverId: string; expiresAt: Date }>(sql`
    with code as (
      update authorization_codes c set used_at = clock_now(), session_id = ${session.id}
      where ${codeFits(claim)} and c.used_at is null and c.expires_at > clock_now()
      returning c.member_id, c.server_id, c.project_id, c.ip, c.user_agent)
    insert into sessions (id, project_id, member_id, server_id, membership_generation, token_digest,
      refresh_digest, ip, user_agent, expires_at, max_expires_at)
    select ${session.id}, c.project_id, c.member_id, c.server_id, m.generation, ${session.tokenDigest},
      ${session.refreshDigest}, coalesce(${session.ip}, c.ip), coalesce(${session.userAgent}, c.user_agent),
      clock_now() + least(${session.ttlSec}::int, ${session.maxAgeSec}::int) * interval '1 second',
      clock_now() + ${session.maxAgeSec}::int * interval '1 second'
    from code c join memberships m
      on m.server_id = c.server_id and m.member_id = c.member_id and m.left_at is null
    returning member_id as "memberId", server_id as "serverId", expires_at as "expiresAt"`)

/** Ends the session that a code made: whoever presents a used code shows that two hold it. */
export const revokeSessionOfCode = (tx: Tx, claim: CodeClaim) =>
  tx.maybeOne<{ memberId: string }>(sql`
    update sessions s set revoked_at = clock_now()
    from authorization_codes c
    where ${codeFits(claim)} and c.session_id = s.id and s.revoked_at is null
    returning s.member_id as "memberId"`)

/** True when the code would have been good with a verifier: the caller forgot it, and nothing is lost. */
export const codeAwaitsVerifier = (db: Queryable, claim: CodeClaim) =>
  db.maybeOne(sql`
    select from authorization_codes c
    where c.digest = ${claim.codeDigest} and c.project_id is not distinct from ${claim.projectId}::uuid
      and c.redirect_uri = ${claim.redirectUri} and c.code_challenge is not null
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
      returning id, rotation, expires_at),
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

export const revokeSessionById = (db: Queryable, sessionId: string) =>
  db.execute(sql`
    update sessions set revoked_at = clock_now() where id = ${sessionId} and revoked_at is null`)

/**
 * Ends a session of a project by a token or refresh token that it has or had. Used ones count: a rotation
 * that commits just before must not carry the session past its logout.
 */
export const revokeByToken = (db: Queryable, projectId: string | null, digest: string) =>
  db.execute(sql`
    update sessions set revoked_at = clock_now()
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

export const revokeAllOfMember = (tx: Tx, projectId: string, memberId: string) =>
  tx.execute(sql`
    update sessions set revoked_at = clock_now()
    where member_id = ${memberId} and project_id = ${projectId} and revoked_at is null`)

/** Remembers that a project ended everything of a member: single sign-on from before does not undo it. */
export const markLogoutAll = (tx: Tx, projectId: string, memberId: string) =>
  tx.execute(sql`
    insert into project_logouts (project_id, member_id)
    select ${projectId}, id from members where id = ${memberId}
    on conflict (project_id, member_id) do update set at = clock_now()`)

export interface SessionRow {
  readonly id: string
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly projectId: string | null
  readonly serverId: string
  readonly ip: string | null
  readonly userAgent: string | null
}

/** A member's live sessions, newest first; more than anyone has. */
export const listLiveSessions = (db: Queryable, memberId: string) =>
  db.query<SessionRow>(sql`
    select id, created_at as "createdAt", expires_at as "expiresAt", project_id as "projectId",
      server_id as "serverId", ip, user_agent as "userAgent"
    from live_sessions where member_id = ${memberId}
    order by created_at desc, id desc limit 1000`)

/** Revokes a live session if it is this member's own. */
export const revokeOwnSession = (db: Queryable, memberId: string, sessionId: string) =>
  db.execute(sql`
    update sessions set revoked_at = clock_now()
    where id = ${sessionId} and member_id = ${memberId} and revoked_at is null and expires_at > clock_now()`)

/** The finished parts of the member and roles of one membership, for the answer of an exchange. */
export const readMembership = (db: Queryable, serverId: string, memberId: string) =>
  db.maybeOne<{
    memberJson: string
    rolesJson: string
    syncedAt: Date
    ageMs: number
    isLive: boolean
    roleIds: string[]
    isMain: boolean
  }>(sql`
    select u.profile_json || ',"isClubMember":' || u.is_club_member as "memberJson",
      membership_answer(m.server_id, m.nick, m.role_ids) as "rolesJson", m.synced_at as "syncedAt",
      (extract(epoch from clock_now() - m.synced_at) * 1000)::float8 as "ageMs",
      coalesce(v.live_until > clock_now(), false) as "isLive", m.role_ids as "roleIds", v.is_main as "isMain"
    from memberships m join members u on u.id = m.member_id join servers v on v.id = m.server_id
    where m.server_id = ${serverId} and m.member_id = ${memberId} and m.left_at is null`)
