import { type HeldRoles, heldWithJson, type Roles, toRoles } from '#responses/roles'
import { serverMemberProfile } from '#responses/server-member'
import type { Change } from './change.ts'
import type { Liveness } from './change-log-store.ts'
import type { MemberItem, ServerMemberRead, ServerMemberRow } from './server-members-store.ts'

/** A cached member of a server. */
export class ServerMember {
  /** The member as JSON, without the roles. */
  readonly profile: string
  readonly syncedAtMs: number
  /** The approximate memory use in bytes. The factors were measured with V8. */
  readonly bytes: number
  readonly roleIds: readonly string[]

  constructor(row: ServerMemberRow, roles: Roles) {
    this.profile = serverMemberProfile(row)
    this.syncedAtMs = row.syncedAtMs
    // Members share the strings of their role IDs, which would otherwise be a third of the memory of a member.
    this.roleIds = row.roleIds.map((id) => roles.get(id)?.role.roleId ?? id)
    this.bytes = 500 + 2 * this.profile.length + 16 * row.roleIds.length
  }
}

/** The cached roles of a member, at one moment of the database's clock. */
export interface CachedRoles {
  readonly held: HeldRoles
  readonly isLive: boolean
  readonly ageMs: number
  /** The time up to which the roles are known to be current. */
  readonly asOfMs: number
}

/** Returns the cached roles of a member, together with what the time decides about them. */
export function rolesAt(
  nowMs: number,
  { held, syncedAtMs }: { readonly held: HeldRoles; readonly syncedAtMs: number },
  liveness: Liveness | undefined,
): CachedRoles {
  const isLive = liveness !== undefined && liveness.untilMs > nowMs
  return { held, isLive, ageMs: nowMs - syncedAtMs, asOfMs: isLive ? liveness.asOfMs : syncedAtMs }
}

/** A server with its cached members. */
interface Server {
  roles: Roles
  readonly members: Map<string, ServerMember>
}

/**
 * The maximum memory of the cached members, in bytes. It suffices for about 40,000 members. At the limit, the oldest
 * members of the server with the most members are evicted.
 */
export const maxBytes = 48_000_000

/**
 * Caches the members of servers that projects request. Only current members who are not blocked are cached. A member
 * is dropped when the profile, the membership, or a block of the member changes.
 */
export class ServerMembers {
  readonly #servers = new Map<string, Server>()
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  get({ serverId, memberId }: MemberItem): ServerMember | undefined {
    return this.#servers.get(serverId)?.members.get(memberId)
  }

  /** Returns the roles that a cached member holds, and the time at which they were read from Discord. */
  findHeldRoles({ serverId, memberId }: MemberItem): { held: HeldRoles; syncedAtMs: number } | undefined {
    const server = this.#servers.get(serverId)
    const member = server?.members.get(memberId)
    if (!server || !member) return undefined
    return { held: heldWithJson(member.roleIds, server.roles), syncedAtMs: member.syncedAtMs }
  }

  /** Caches the result of a read. */
  add({ serverId }: MemberItem, { member, roles }: ServerMemberRead): void {
    if (!member) return
    // The ID of the row: the one of the request may be a part of a long address, which would be kept in memory with it.
    const { memberId } = member
    const cached = this.get({ serverId, memberId })
    // Reads can end in another order than they began.
    if (cached && cached.syncedAtMs > member.syncedAtMs) return
    this.#drop(this.#servers.get(serverId)?.members, memberId)
    if (!member.isCurrent || member.isBlocked) return
    // Cached roles are current, because the change log contains every change of a server's roles.
    const server = this.#servers.get(serverId) ?? { roles, members: new Map() }
    this.#servers.set(serverId, server)
    const added = new ServerMember(member, server.roles)
    server.members.set(memberId, added)
    this.#bytes += added.bytes
    while (this.#bytes > maxBytes) this.#evict()
  }

  applyChange(change: Change): void {
    switch (change.kind) {
      case 'membership': {
        const [serverId = '', memberId = ''] = change.id.split('/')
        this.#drop(this.#servers.get(serverId)?.members, memberId)
        return
      }
      case 'member':
        for (const { members } of this.#servers.values()) this.#drop(members, change.memberId)
        return
      case 'roles': {
        const server = this.#servers.get(change.serverId)
        if (server) server.roles = toRoles(change.roles)
        return
      }
      case 'server':
        this.clear()
    }
  }

  clear(): void {
    this.#servers.clear()
    this.#bytes = 0
  }

  #drop(members: Server['members'] | undefined, memberId: string): void {
    const member = members?.get(memberId)
    if (!member) return
    members?.delete(memberId)
    this.#bytes -= member.bytes
  }

  /** Evicts the oldest member of the server with the most members. */
  #evict(): void {
    const { members } = [...this.#servers.values()].reduce((a, b) =>
      b.members.size > a.members.size ? b : a,
    )
    const [oldest = ''] = members.keys()
    this.#drop(members, oldest)
  }
}
