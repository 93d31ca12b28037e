import type { projectReads } from '@rolecall/contract'
import { freshnessOf, isFresh, memberTerms } from '#mirror/freshness'
import type { Role } from '#responses/roles'
import { type HeldRole, rolesHeld, toRoles } from '#responses/roles'
import type { Deps } from '../../deps.ts'
import { findMirrored, type MirroredServer } from './store.ts'

type ManyDeps = Pick<Deps, 'db' | 'settings' | 'answers'>

/** What is known of somebody in a server; `roles` is undefined of who is no member. */
interface Known {
  readonly roles: readonly HeldRole[] | undefined
  /** Whoever is blocked keeps their roles, and may do nothing by them. */
  readonly isBlocked: boolean
  readonly source: projectReads.CheckedMember['rolesSource']
  readonly asOfMs: number | null
}

interface Asked {
  readonly serverId: string
  readonly memberIds: readonly string[]
  readonly isAllowed: (roles: readonly HeldRole[]) => boolean
}

/** Nothing that may be served: no roles are the safe answer, and say of themselves that nothing is known. */
const unknown: Known = { roles: undefined, isBlocked: false, source: 'mirror', asOfMs: null }

/**
 * Which of many members hold roles: from memory where a session of the member is kept and the roles are fresh, else of the
 * mirror, in one statement for all others. Nobody is asked, so that a list takes as long as a member.
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

/** In one step: the lease that is looked at vouches for all of them. */
function keptRoles({ answers, settings }: ManyDeps, serverId: string, memberIds: readonly string[]) {
  const known = new Map<string, Known>()
  const nowMs = answers.goodAtMs()
  if (nowMs === undefined) return known
  const terms = memberTerms(settings.current().permissionTtlMs)
  for (const id of memberIds) {
    const kept = answers.member(serverId, id, nowMs)
    if (!kept || !isFresh(kept, terms)) continue
    // Of whoever is blocked nothing is kept.
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
    // Whoever is not in a mirror that is followed live is in the server as little.
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
