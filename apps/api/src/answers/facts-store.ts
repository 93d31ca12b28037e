import type { Database } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { Role } from './change.ts'
import { finishedProfile, finishedSession } from './compose.ts'

/** A key, a token, or a token that counts only with a key of its own project. Empty when it is not asked about. */
export interface Item {
  readonly keyDigest: string
  readonly tokenDigest: string
}

/** A session that is live as of the read, with all facts that an answer is made of. */
export interface SessionRow {
  readonly id: string
  /** Null for an admin session. */
  readonly projectId: string | null
  readonly serverId: string
  readonly memberId: string
  readonly sessionJson: string
  readonly expiresAtMs: number
  readonly username: string
  readonly profileJson: string
  readonly isClubMember: boolean
  readonly nick: string | null
  readonly roleIds: readonly string[]
  readonly syncedAtMs: number
  /** True in the server that decides who is a System Admin: the main one, or the configured one while there is none. */
  readonly decidesAdmin: boolean
  /** When the gateway vouched for the server's mirror, and until when; null while it does not. */
  readonly liveAsOfMs: number | null
  readonly liveUntilMs: number | null
}

export interface ItemRow {
  /** Undefined when the key is unknown, revoked, expired, or its project is deleted. */
  readonly projectId: string | undefined
  readonly isActive: boolean
  /** When the key ends by itself. */
  readonly keyEndsAtMs: number | undefined
  readonly session: SessionRow | undefined
}

export interface FactRows {
  /** The database's clock. */
  readonly nowMs: number
  /** In the order of the items. */
  readonly items: readonly ItemRow[]
  /** Roles of the servers of all sessions, highest first, but of those that were known. */
  readonly roles: ReadonlyMap<string, readonly Role[]>
}

/**
 * Reads keys and sessions for many requests at once, in one snapshot. Times are read by `date_part`, which counts in
 * floating point: `extract` counts in numeric, which shows where one batch reads hundreds.
 */
export async function readFacts(
  db: Pick<Database, 'gathered'>,
  items: readonly Item[],
  knownServers: readonly string[],
  configuredServerId: string | undefined,
): Promise<FactRows> {
  const rows = await db.gathered(sql`
    select round(date_part('epoch', clock_now()) * 1000), k.project_id, k.is_active,
      l.id, l.project_id, l.server_id, l.member_id, round(date_part('epoch', l.created_at) * 1000),
      round(date_part('epoch', l.expires_at) * 1000),
      l.username, l.avatar, l.email, l.global_name, l.preferred_name,
      round(date_part('epoch', l.member_created_at) * 1000),
      round(date_part('epoch', l.member_updated_at) * 1000), l.is_club_member, l.nick, l.role_ids,
      round(date_part('epoch', l.synced_at) * 1000),
      coalesce(l.is_main, false) or (l.server_id = ${configuredServerId ?? null} and not exists (
        select from servers v where v.is_main)),
      case when l.live_until > clock_now() then round(date_part('epoch', l.live_as_of) * 1000) end,
      case when l.live_until > clock_now() then round(date_part('epoch', l.live_until) * 1000) end,
      case when l.server_id <> all(${knownServers}::text[])
          and row_number() over (partition by l.server_id order by q.n) = 1 then
        (select coalesce(json_agg(json_build_object('id', r.id, 'name', r.name, 'color', r.color,
          'position', r.position) order by r.position desc, r.id), '[]')
        from roles r where r.server_id = l.server_id)::text end,
      round(date_part('epoch', k.expires_at) * 1000)
    from unnest(${items.map(({ keyDigest }) => keyDigest)}::text[],
      ${items.map(({ tokenDigest }) => tokenDigest)}::text[]) with ordinality as q (key_digest, token_digest, n)
    left join lateral (
      select k.project_id, p.deactivated_at is null as is_active, k.expires_at
      from working_keys k join projects p on p.id = k.project_id and p.deleted_at is null
      where k.digest = q.key_digest
      offset 0) k on true
    left join lateral (
      select * from live_sessions s where s.token_digest = q.token_digest
      offset 0) l on q.key_digest = '' or l.project_id = k.project_id
    order by q.n`)
  const roles = new Map<string, readonly Role[]>()
  for (const row of rows) {
    const [serverId, json] = [row[5], row[23]] as [string, string | null]
    if (json !== null) roles.set(serverId, JSON.parse(json) as Role[])
  }
  return { nowMs: (rows[0]?.[0] as number | undefined) ?? 0, items: rows.map(toItemRow), roles }
}

function toItemRow(row: unknown[]): ItemRow {
  const [, projectId, isActive, id] = row as [number, string | null, boolean, string | null]
  return {
    projectId: projectId ?? undefined,
    isActive,
    keyEndsAtMs: (row[24] as number | null) ?? undefined,
    session: id === null ? undefined : toSessionRow(row),
  }
}

function toSessionRow(row: unknown[]): SessionRow {
  const [id, projectId, serverId, memberId, createdAtMs, expiresAtMs] = row.slice(3, 9) as [
    string,
    string | null,
    string,
    string,
    number,
    number,
  ]
  const [username, avatar, email, globalName, preferredName] = row.slice(9, 14) as [
    string,
    string | null,
    string | null,
    string | null,
    string | null,
  ]
  const [memberSinceMs, updatedAtMs, isClubMember, nick, roleIds, syncedAtMs] = row.slice(14, 20) as [
    number,
    number,
    boolean,
    string | null,
    string[],
    number,
  ]
  const [decidesAdmin, liveAsOfMs, liveUntilMs] = row.slice(20, 23) as [boolean, number | null, number | null]
  const profile = { avatar, email, globalName, preferredName, createdAtMs: memberSinceMs, updatedAtMs }
  return {
    id,
    projectId,
    serverId,
    memberId,
    sessionJson: finishedSession({ id, serverId, createdAtMs, expiresAtMs }),
    expiresAtMs,
    username,
    profileJson: finishedProfile({ id: memberId, username, ...profile }),
    isClubMember,
    nick,
    roleIds,
    syncedAtMs,
    decidesAdmin,
    liveAsOfMs,
    liveUntilMs,
  }
}
