import type { projectReads } from '@rolecall/contract'
import { freshnessOf, isFresh, memberTerms } from '#mirror/freshness'
import type { Role } from '#responses/roles'
import { type HeldRole, rolesHeld, toRoles } from '#responses/roles'
import type { Deps } from '../../deps.ts'
import { findMirrored, type MirroredServer } from './store.ts'

type ManyDeps = Pick<Deps, 'db' | 'settings' | 'answers'>

/** The known facts about a person in a server. */
interface Known {
  /** Undefined if the person is not a member of the server. */
  readonly roles: readonly HeldRole[] | undefined
  /** A blocked member has roles, but the roles permit nothing. */
  readonly isBlocked: boolean
  readonly source: projectReads.CheckedMember['rolesSource']
  /** The time at which the roles are known to have been current. Null if nothing is known. */
  readonly asOfMs: number | null
}

/** The members to check, and the condition on their roles. */
interface Asked {
  readonly serverId: string
  readonly memberIds: readonly string[]
  readonly isAllowed: (roles: readonly HeldRole[]) => boolean
}

/** The result if nothing usable is known about a person. It permits nothing, and `rolesAsOf` is null. */
const unknown: Known = { roles: undefined, isBlocked: false, source: 'mirror', asOfMs: null }

/**
 * Checks the roles of many members of a server. Fresh cached roles are used if a session of the member is cached. One
 * statement reads all others from the mirror. No request is sent to Discord, so the time does not depend on how many
 * members have old roles.
 */
export async function checkMany(
  deps: ManyDeps,
  { serverId, memberIds, isAllowed }: Asked,
): Promise<projectReads.CheckedMember[]> {
  const known = keptRoles(deps, serverId, memberIds)
  const others = memberIds.filter((id) => !known.has(id))
  const server = others.length === 0 ? undefined : await findMirrored(deps.db, serverId, others)
  if (server) for (const [id, one] of mirroredRoles(deps, server, others)) known.set(id, one)
  return memberIds.map((memberId) => {
    const { roles, isBlocked, source, asOfMs } = known.get(memberId) ?? unknown
    return {
      memberId,
      allowed: roles !== undefined && !isBlocked && isAllowed(roles),
      isMember: roles !== undefined,
      roles: [...(roles ?? [])],
      rolesSource: source,
      rolesAsOf: asOfMs === null ? null : new Date(asOfMs).toISOString(),
    }
  })
}

/** Returns the fresh cached roles. Must be synchronous, because the lease is checked once for all members. */
function keptRoles({ answers, settings }: ManyDeps, serverId: string, memberIds: readonly string[]) {
  const known = new Map<string, Known>()
  const nowMs = answers.leasedNowMs()
  if (nowMs === undefined) return known
  const terms = memberTerms(settings.current().permissionTtlMs)
  for (const id of memberIds) {
    const kept = answers.member(serverId, id, nowMs)
    if (!kept || !isFresh(kept, terms)) continue
    // Blocked members are not cached.
    known.set(id, {
      roles: kept.roles,
      isBlocked: false,
      source: kept.isLive ? 'gateway' : 'rest',
      asOfMs: kept.asOfMs,
    })
  }
  return known
}

/** Returns the roles in the mirror, as far as they are not too old. */
function mirroredRoles({ settings }: ManyDeps, server: MirroredServer, memberIds: readonly string[]) {
  const terms = memberTerms(settings.current().permissionTtlMs)
  const roles = toRoles(server.roles satisfies readonly Role[])
  const members = new Map(server.members.map((member) => [member.memberId, member]))
  return memberIds.map((id): [string, Known] => {
    const member = members.get(id)
    // A live mirror contains all members, so a person who is missing is not in the server.
    if (!member)
      return [id, server.isLive ? { ...unknown, source: 'gateway', asOfMs: server.liveAsOfMs } : unknown]
    const freshness = freshnessOf({ isLive: server.isLive, ageMs: member.ageMs }, terms)
    if (freshness === 'too old') return [id, unknown]
    const source = freshness === 'live' ? 'gateway' : freshness
    const asOfMs = freshness === 'live' ? server.liveAsOfMs : member.syncedAtMs
    const held = member.isCurrent ? rolesHeld(member.roleIds, roles) : undefined
    return [id, { roles: held, isBlocked: member.isBlocked, source, asOfMs }]
  })
}
