import { isFresh, memberTerms } from '#mirror/freshness'
import { type HeldRole, rolesHeld } from '#responses/roles'
import { freshestRoles } from '../../checks/freshest-roles.ts'
import type { Deps } from '../../deps.ts'

type MemberDeps = Pick<Deps, 'answers' | 'settings' | 'readForProject'>

/** The member that a project asks about. */
interface MemberRequest {
  readonly projectId: string
  readonly serverId: string
  readonly memberId: string
}

/**
 * Returns a member of a server, with roles that are as fresh as those of `validate`. Returns undefined if the person is
 * not a member. If the mirror does not contain the person, Discord is asked: the mirror contains only people who have
 * signed in, were synced, or appeared in a gateway event.
 *
 * @throws CHAT_PLATFORM_UNAVAILABLE, RATE_LIMITED
 */
export async function liveMember({ answers, settings, readForProject }: MemberDeps, request: MemberRequest) {
  const read = async () => {
    const { member, roles, liveAsOfMs } = await answers.readServerMember(request)
    return member && { ...member, roles: rolesHeld(member.roleIds, roles), isLive: liveAsOfMs !== null }
  }
  const first = await read()
  const { known } = await freshestRoles({
    known: first,
    terms: memberTerms(settings.current().permissionTtlMs),
    refresh: () => readForProject(request, first !== undefined),
    reread: read,
  })
  return known?.isCurrent ? known : undefined
}

/**
 * The roles of a member in a server, and whether the member is blocked. A blocked member has roles, but the roles
 * permit nothing.
 */
export interface CurrentRoles {
  readonly roles: readonly HeldRole[]
  readonly isBlocked: boolean
}

/**
 * Returns the roles of a member, highest first, or undefined if the person is not a member. Fresh cached roles are
 * used. `isBlocked` is then false, because blocked members are not cached.
 *
 * @throws CHAT_PLATFORM_UNAVAILABLE, RATE_LIMITED
 */
export async function liveRoles(deps: MemberDeps, request: MemberRequest): Promise<CurrentRoles | undefined> {
  const { answers, settings } = deps
  const nowMs = answers.leasedNowMs()
  const kept = nowMs === undefined ? undefined : answers.findHeldRoles(request, nowMs)
  if (kept && isFresh(kept, memberTerms(settings.current().permissionTtlMs)))
    return { roles: kept.held.roles, isBlocked: false }
  return liveMember(deps, request)
}
