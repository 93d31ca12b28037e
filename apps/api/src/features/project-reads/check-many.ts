import type { projectReads } from '@rolecall/contract'
import { freshnessOf, isFresh, memberTerms } from '#mirror/freshness'
import type { Role } from '#responses/roles'
import { type HeldRole, rolesHeld, toRoles } from '#responses/roles'
import type { Deps } from '../../deps.ts'
import { findMirrored, type MirroredServer } from './store.ts'

type ManyDeps = Pick<Deps, 'db' | 'settings' | 'answers'>

/** The facts about a person in a server; `roles` is undefined if they are not a member. */
interface Known {
  readonly roles: readonly HeldRole[] | undefined
  /** A blocked member keeps their roles, but the roles permit nothing. */
  readonly isBlocked: boolean
  readonly source: projectReads.CheckedMember['rolesSource']
  readonly asOfMs: number | null
}

interface Asked {
  readonly serverId: string
  readonly memberIds: readonly string[]
  readonly isAllowed: (roles: readonly HeldRole[]) => boolean
}

/**
 * The answer if no usable data exists: no roles are the safe answer, and their null age shows that nothing is known.
 */
const unknown: Known = { roles: undefined, isBlocked: false, source: 'mirror', asOfMs: null }

/**
 * Checks which of many members hold roles. Roles come from memory if a session of the member is cached and the roles
 * are fresh; otherwise from the mirror, in one statement for all. The platform is never asked, so a list takes as long
 * as one member.
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

/** Reads cached roles in one step: the lease that is checked first vouches for all of them. */
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

function mirroredRoles({ settings }: ManyDeps, server: MirroredServer, memberIds: readonly string[]) {
  const terms = memberTerms(settings.current().permissionTtlMs)
  const roles = toRoles(server.roles satisfies readonly Role[])
  const members = new Map(server.members.map((member) => [member.memberId, member]))
  return memberIds.map((id): [string, Known] => {
    const member = members.get(id)
    // If the mirror is live, a member that it lacks is not in the server.
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
