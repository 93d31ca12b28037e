import { fieldsOf } from '@rolecall/contract'
import { rolesAsJson, selectFields } from '#member/columns'
import type { Database } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import { type Role, type Roles, toRoles } from '#responses/roles'
import type { MemberOfServer } from '#responses/server-member'

/** A person and a server. */
export interface MemberItem {
  readonly serverId: string
  readonly memberId: string
}

/** A member or former member of a server in the mirror. */
export interface ServerMemberRow extends MemberOfServer {
  readonly roleIds: readonly string[]
  /** False if the person has left the server. */
  readonly isCurrent: boolean
  readonly isBlocked: boolean
  /** The time at which the roles were last read from Discord. */
  readonly syncedAtMs: number
  /** The milliseconds since `syncedAtMs`. */
  readonly ageMs: number
}

/** The result of a read of one member. */
export interface ServerMemberRead {
  /** Undefined if the mirror does not contain the person. */
  readonly member: ServerMemberRow | undefined
  /** The roles of the server. */
  readonly roles: Roles
  /**
   * The time up to which the server's mirror contains every change. Null while the server is not live. The mirror of a
   * live server contains all members.
   */
  readonly liveAsOfMs: number | null
}

interface FoundRow extends Omit<ServerMemberRow, 'memberId'>, Pick<ServerMemberRead, 'liveAsOfMs'> {
  /** Null if the mirror does not contain the person. */
  readonly memberId: string | null
  /** The roles of the server, in the first row of each server. Null in all other rows. */
  readonly rolesJson: string | null
}

/** Reads members of servers in the mirror. `run` sends the statement. */
export async function readServerMembers(
  run: Database['batched'],
  items: readonly MemberItem[],
): Promise<ServerMemberRead[]> {
  const rows = await run<FoundRow>(sql`
    select m.member_id as "memberId", ${selectFields(fieldsOf('serverMember'))}, m.joined_at as "joinedAt",
      m.role_ids as "roleIds", m.left_at is null as "isCurrent",
      exists (select from member_blocks b
        where b.member_id = m.member_id and (b.until is null or b.until > clock_now())) as "isBlocked",
      round(date_part('epoch', m.synced_at) * 1000) as "syncedAtMs",
      round(date_part('epoch', clock_now() - m.synced_at) * 1000) as "ageMs",
      case when v.live_until > clock_now() then round(date_part('epoch', v.live_as_of) * 1000) end as "liveAsOfMs",
      case when row_number() over (partition by q.server_id order by q.n) = 1 then
        (select ${rolesAsJson}
        from roles r where r.server_id = q.server_id)::text end as "rolesJson"
    from unnest(${items.map(({ serverId }) => serverId)}::text[],
      ${items.map(({ memberId }) => memberId)}::text[]) with ordinality as q (server_id, member_id, n)
    left join servers v on v.id = q.server_id
    left join memberships m on m.server_id = q.server_id and m.member_id = q.member_id
    left join members u on u.id = m.member_id
    order by q.n`)
  const roles = new Map<string, Roles>()
  return rows.map(({ rolesJson, memberId, liveAsOfMs, ...row }, i) => {
    const { serverId } = items[i] as MemberItem
    if (rolesJson !== null) roles.set(serverId, toRoles(JSON.parse(rolesJson) as Role[]))
    return {
      member: memberId === null ? undefined : { ...row, memberId },
      roles: roles.get(serverId) ?? noRoles,
      liveAsOfMs,
    }
  })
}

const noRoles: Roles = new Map()
