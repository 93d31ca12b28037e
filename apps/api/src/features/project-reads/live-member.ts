import { isFresh, memberTerms } from '#mirror/freshness'
import type { HeldRole } from '#responses/roles'
import { freshestRoles } from '../../checks/freshest-roles.ts'
import type { Deps } from '../../deps.ts'
import { findMember } from './store.ts'

type MemberDeps = Pick<Deps, 'db' | 'settings' | 'readForProject'>
type RolesDeps = MemberDeps & Pick<Deps, 'answers'>

/** Whom a project asks about. */
interface Asked {
  readonly projectId: string
  readonly serverId: string
  readonly memberId: string
}

/**
 * A member of a server with roles as live as validate's; undefined for someone who is none. The mirror knows
 * who logged in, who was synced and who the gateway told of; of anyone else only the platform can say whether
 * they are a member.
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

/** What somebody holds in a server, and whether they are blocked: then they hold it, and it allows nothing. */
export interface Held {
  readonly roles: readonly HeldRole[]
  readonly isBlocked: boolean
}

/**
 * Their roles alone, highest first: from memory where a session of the member is kept, and the roles are fresh. Whoever is
 * blocked has no session to be kept.
 */
export async function liveRoles(deps: RolesDeps, asked: Asked): Promise<Held | undefined> {
  const { answers, settings } = deps
  const nowMs = answers.goodAtMs()
  const kept = nowMs === undefined ? undefined : answers.member(asked.serverId, asked.memberId, nowMs)
  if (kept && isFresh(kept, memberTerms(settings.current().permissionTtlMs)))
    return { roles: kept.roles, isBlocked: false }
  return liveMember(deps, asked)
}
