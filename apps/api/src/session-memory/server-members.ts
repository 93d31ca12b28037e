import { type HeldRoles, heldWithJson, type Roles, toRoles } from '#responses/roles'
import { serverMemberProfile } from '#responses/server-member'
import type { Change } from './change.ts'
import type { Vouched } from './change-log-store.ts'
import type { MemberItem, ServerMemberRead, ServerMemberRow } from './server-members-store.ts'

/** A cached member of a server. */
export class ServerMember {
  /** The member as JSON, without the roles. */
  readonly profile: string
  readonly syncedAtMs: number
  readonly #roleIds: readonly string[]
  #held: HeldRoles | undefined
  #heldOf: Roles | undefined

  constructor(row: ServerMemberRow, roles: Roles) {
    this.profile = serverMemberProfile(row)
    this.syncedAtMs = row.syncedAtMs
    // Members share the strings of their role IDs, which would otherwise be a third of the memory of a member.
    this.#roleIds = row.roleIds.map((id) => roles.get(id)?.role.roleId ?? id)
  }

  /** Returns the roles that the member holds. Reuses the last result while the roles of the server are the same. */
  held(roles: Roles): HeldRoles {
    if (this.#held === undefined || this.#heldOf !== roles) {
      this.#held = heldWithJson(this.#roleIds, roles)
      this.#heldOf = roles
    }
    return this.#held
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
  held: HeldRoles,
  syncedAtMs: number,
  vouched: Vouched | undefined,
): CachedRoles {
  const isLive = vouched !== undefined && vouched.untilMs > nowMs
  return { held, isLive, ageMs: nowMs - syncedAtMs, asOfMs: isLive ? vouched.asOfMs : syncedAtMs }
}

/** A server with its cached members. */
interface Server {
  roles: Roles
  readonly members: Map<string, ServerMember>
}

/** The maximum number of cached members. At the limit, the cache is cleared, and the members are read again. */
export const maxMembers = 20_000

/**
 * Caches the members of servers that projects ask about. Only current members who are not blocked are cached. A member
 * is dropped when the profile, the membership, or a block of the member changes.
 */
export class ServerMembers {
  readonly #servers = new Map<string, Server>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get({ serverId, memberId }: MemberItem): ServerMember | undefined {
    return this.#servers.get(serverId)?.members.get(memberId)
  }

  /** Returns the roles of a server with cached members. */
  rolesOf(serverId: string): Roles | undefined {
    return this.#servers.get(serverId)?.roles
  }

  /** Caches what was read. */
  add({ serverId, memberId }: MemberItem, { member, roles }: ServerMemberRead): void {
    this.#drop(serverId, memberId)
    if (!member?.isCurrent || member.isBlocked) return
    if (this.#size >= maxMembers) this.clear()
    const server = this.#servers.get(serverId) ?? { roles, members: new Map() }
    this.#servers.set(serverId, server)
    server.roles = roles
    server.members.set(memberId, new ServerMember(member, roles))
    this.#size += 1
  }

  apply(change: Change): void {
    switch (change.kind) {
      case 'membership': {
        const [serverId = '', memberId = ''] = change.id.split('/')
        this.#drop(serverId, memberId)
        return
      }
      case 'member':
        for (const serverId of this.#servers.keys()) this.#drop(serverId, change.memberId)
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
    this.#size = 0
  }

  #drop(serverId: string, memberId: string): void {
    if (this.#servers.get(serverId)?.members.delete(memberId)) this.#size -= 1
  }
}
