import { isFresh, memberTerms } from '#mirror/freshness'
import type { HeldRole } from '#responses/roles'
import { freshestRoles } from '../../checks/freshest-roles.ts'
import type { Deps } from '../../deps.ts'
import { findMember } from './store.ts'

type MemberDeps = Pick<Deps, 'db' | 'settings' | 'readForProject'>
type RolesDeps = MemberDeps & Pick<Deps, 'answers'>

/** The member that a project asks about. */
interface Asked {
  readonly projectId: string
  readonly serverId: string
  readonly memberId: string
}

/**
 * Returns a member of a server with roles as live as validate's; undefined if they are not a member. The mirror
 * contains members who signed in, were synced, or appeared in a gateway event. For any other person, only the platform
 * knows whether they are a member.
 * @throws CHAT_PLATFORM_UNAVAILABLE, RATE_LIMITED
 */
export async function liveMember({ db, settings, readForProject }: MemberDeps, asked: Asked) {
  const read = () => findMember(db, asked.serverId, asked.memberId)
  const first = await read()
  const { known } = await freshestRoles({
    known: first,
    terms: memberTerms(settings.current().permissionTtlMs),
    refresh: () => readForProject(asked, first !== undefined),
    reread: read,
  })
  return known?.isCurrent ? known : undefined
}

/**
 * The roles of a member in a server, and the block status. A blocked member keeps their roles, but the roles permit
 * nothing.
 */
export interface Held {
  readonly roles: readonly HeldRole[]
  readonly isBlocked: boolean
}

/**
 * Returns only the roles, highest first. They come from memory if a session of the member is cached and the roles are
 * fresh. A blocked member has no cached session.
 */
export async function liveRoles(deps: RolesDeps, asked: Asked): Promise<Held | undefined> {
  const { answers, settings } = deps
  const nowMs = answers.leasedNowMs()
  const kept = nowMs === undefined ? undefined : answers.member(asked.serverId, asked.memberId, nowMs)
  if (kept && isFresh(kept, memberTerms(settings.current().permissionTtlMs)))
    return { roles: kept.roles, isBlocked: false }
  return liveMember(deps, asked)
}
