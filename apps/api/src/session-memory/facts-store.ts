import { rolesAsJson, selectFields } from '#member/columns'
import type { Database } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import { type GroupRule, toGroupRule } from '#responses/groups'
import { type Profile, profileFields, toProfileJson } from '#responses/member-json'
import type { Role } from '#responses/roles'
import { toSessionJson } from '#responses/validate-json'

/**
 * A request for an API key, for the session of a token, or for both. With both, the session is returned only if it
 * belongs to the project of the key. A digest that is not requested is an empty string.
 */
export interface Item {
  readonly keyDigest: string
  readonly tokenDigest: string
}

/** A session that was live when it was read, with everything that its `validate` response contains. */
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
  /**
   * True if the roles in this server decide who is a System Admin. That is the main server, or the configured server
   * while there is no main server.
   */
  readonly decidesAdmin: boolean
  /** The rule by which the project names groups of roles. */
  readonly groups: GroupRule
  /**
   * The time up to which the gateway guarantees that the server's mirror is current. Null while it gives no guarantee.
   */
  readonly liveAsOfMs: number | null
  /** The time at which that guarantee ends, unless the gateway renews it. Null while there is none. */
  readonly liveUntilMs: number | null
}

/** The result for one item. */
export interface ItemRow {
  /** Undefined if the key is unknown, revoked, or expired, or if its project is deleted. */
  readonly projectId: string | undefined
  /** False while the project is deactivated. Without a valid key, the value has no meaning. */
  readonly isActive: boolean
  /** The time at which the key expires. */
  readonly keyEndsAtMs: number | undefined
  readonly session: SessionRow | undefined
}

/** The result of `readFacts`. */
export interface FactRows {
  /** The time of the database's clock. */
  readonly nowMs: number
  /** The results, in the order of the requested items. */
  readonly items: readonly ItemRow[]
  /** The roles of the servers of all sessions, highest first. Servers in `knownServers` are left out. */
  readonly roles: ReadonlyMap<string, readonly Role[]>
}

/** The columns of a session. In the row of an item without a session, all of them are null. */
interface FoundSession
  extends Omit<SessionRow, 'sessionJson' | 'profileJson' | 'groups'>,
    Omit<Profile, 'id' | 'createdAtMs' | 'updatedAtMs'> {
  readonly groupNames: Readonly<Record<string, string>> | null
  readonly onlyNamedGroups: boolean | null
  readonly createdAtMs: number
  readonly memberCreatedAtMs: number
  readonly memberUpdatedAtMs: number
}

interface FoundRow extends Omit<FoundSession, 'id'> {
  readonly nowMs: number
  readonly keyProjectId: string | null
  readonly isActive: boolean
  readonly keyEndsAtMs: number | null
  readonly id: string | null
  /** The roles of the server, in the first row of each server that is not in `knownServers`. Null in all other rows. */
  readonly rolesJson: string | null
}

const profileColumns = selectFields(profileFields)

/**
 * Reads the keys and sessions of many requests in one snapshot. Uses `date_part`, which returns a floating-point
 * number: the `numeric` of `extract` is measurably slower in a batch of hundreds.
 */
export async function readFacts(
  db: Pick<Database, 'batched'>,
  items: readonly Item[],
  knownServers: readonly string[],
  configuredServerId: string | undefined,
): Promise<FactRows> {
  const rows = await db.batched<FoundRow>(sql`
    select round(date_part('epoch', clock_now()) * 1000) as "nowMs",
      k.project_id as "keyProjectId", coalesce(k.is_active, false) as "isActive",
      round(date_part('epoch', k.expires_at) * 1000) as "keyEndsAtMs",
      l.id, l.project_id as "projectId", l.server_id as "serverId", l.member_id as "memberId",
      round(date_part('epoch', l.created_at) * 1000) as "createdAtMs",
      round(date_part('epoch', l.expires_at) * 1000) as "expiresAtMs",
      ${profileColumns},
      round(date_part('epoch', u.created_at) * 1000) as "memberCreatedAtMs",
      round(date_part('epoch', u.updated_at) * 1000) as "memberUpdatedAtMs",
      u.is_club_member as "isClubMember", l.nick, l.role_ids as "roleIds",
      round(date_part('epoch', l.synced_at) * 1000) as "syncedAtMs",
      l.group_names as "groupNames", l.only_named_groups as "onlyNamedGroups",
      coalesce(l.is_main, false) or (l.server_id = ${configuredServerId ?? null} and not exists (
        select from servers v where v.is_main)) as "decidesAdmin",
      case when l.live_until > clock_now() then round(date_part('epoch', l.live_as_of) * 1000) end as "liveAsOfMs",
      case when l.live_until > clock_now() then round(date_part('epoch', l.live_until) * 1000) end as "liveUntilMs",
      case when l.server_id <> all(${knownServers}::text[])
          and row_number() over (partition by l.server_id order by q.n) = 1 then
        (select ${rolesAsJson}
        from roles r where r.server_id = l.server_id)::text end as "rolesJson"
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
    left join members u on u.id = l.member_id
    order by q.n`)
  const roles = new Map<string, readonly Role[]>()
  for (const { serverId, rolesJson } of rows) {
    if (rolesJson !== null) roles.set(serverId, JSON.parse(rolesJson) as Role[])
  }
  return { nowMs: rows[0]?.nowMs ?? 0, items: rows.map(toItemRow), roles }
}

const toItemRow = (row: FoundRow): ItemRow => ({
  projectId: row.keyProjectId ?? undefined,
  isActive: row.isActive,
  keyEndsAtMs: row.keyEndsAtMs ?? undefined,
  session: row.id === null ? undefined : toSessionRow({ ...row, id: row.id }),
})

function toSessionRow(row: FoundSession): SessionRow {
  const { id, serverId, memberId, username, createdAtMs, expiresAtMs } = row
  return {
    id,
    projectId: row.projectId,
    serverId,
    memberId,
    sessionJson: toSessionJson({ id, serverId, createdAtMs, expiresAtMs }),
    expiresAtMs,
    username,
    profileJson: toProfileJson({
      ...row,
      id: memberId,
      createdAtMs: row.memberCreatedAtMs,
      updatedAtMs: row.memberUpdatedAtMs,
    }),
    isClubMember: row.isClubMember,
    nick: row.nick,
    roleIds: row.roleIds,
    syncedAtMs: row.syncedAtMs,
    decidesAdmin: row.decidesAdmin,
    groups: toGroupRule(row.groupNames, row.onlyNamedGroups),
    liveAsOfMs: row.liveAsOfMs,
    liveUntilMs: row.liveUntilMs,
  }
}
