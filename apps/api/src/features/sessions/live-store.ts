import type { Database } from '#platform/db/database'
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
  /** The whole answer as it was last sent. */
  answer?: { readonly asOfMs: number; readonly source: string; readonly json: string }
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
