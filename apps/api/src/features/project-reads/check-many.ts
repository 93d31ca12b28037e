import type { projectReads } from '@rolecall/contract'
import { type FreshnessTerms, freshnessOf, isFresh, memberTerms } from '#mirror/freshness'
import { type HeldRole, type HeldRoles, heldWithJson } from '#responses/roles'
import type { MemberItem } from '#session-memory/server-members-store'
import type { Deps } from '../../deps.ts'

type ManyDeps = Pick<Deps, 'settings' | 'answers'>

/** The known facts about a person in a server. */
interface Known {
  /** Undefined if the person is not a member of the server. */
  readonly held: HeldRoles | undefined
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
const unknown: Known = { held: undefined, isBlocked: false, source: 'mirror', asOfMs: null }

/**
 * Checks the roles of many members of a server, and returns the response as JSON text. Fresh cached roles are used. All
 * others are read from the mirror, up to 500 in one statement. No request is sent to Discord, so the time does not
 * depend on how many members have old roles.
 */
export async function checkMany(
  { answers, settings }: ManyDeps,
  { serverId, memberIds, isAllowed }: Asked,
): Promise<string> {
  const terms = memberTerms(settings.current().permissionTtlMs)
  // Synchronous, because the lease is checked once for all members.
  const nowMs = answers.leasedNowMs()
  const known = memberIds.map((memberId) => {
    const item = { serverId, memberId }
    return (
      (nowMs !== undefined && cachedRoles(answers, item, terms, nowMs)) || mirroredRoles(answers, item, terms)
    )
  })
  const checked = (await Promise.all(known)).map((one, i) => checkedJson(memberIds[i] ?? '', one, isAllowed))
  return `{"data":[${checked.join(',')}]}`
}

/** Returns the result for one member as JSON. `JSON.stringify` of 1,000 results would take twice as long. */
function checkedJson(memberId: string, known: Known, isAllowed: Asked['isAllowed']): string {
  const { held, isBlocked, source, asOfMs } = known
  const allowed = held !== undefined && !isBlocked && isAllowed(held.roles)
  const asOf = asOfMs === null ? 'null' : `"${new Date(asOfMs).toISOString()}"`
  return (
    `{"memberId":"${memberId}","allowed":${allowed},"isMember":${held !== undefined},` +
    `"roles":${held?.json ?? '[]'},"rolesSource":"${source}","rolesAsOf":${asOf}}`
  )
}

/** Returns the cached roles of a member, if they are fresh. */
function cachedRoles(
  answers: ManyDeps['answers'],
  item: MemberItem,
  terms: FreshnessTerms,
  nowMs: number,
): Known | undefined {
  const cached = answers.heldRoles(item, nowMs)
  if (!cached || !isFresh(cached, terms)) return undefined
  const { held, isLive, asOfMs } = cached
  // Blocked members are not cached.
  return { held, isBlocked: false, source: isLive ? 'gateway' : 'rest', asOfMs }
}

/** Reads what the mirror knows about a person. */
async function mirroredRoles(
  answers: ManyDeps['answers'],
  item: MemberItem,
  terms: FreshnessTerms,
): Promise<Known> {
  const { member, roles, liveAsOfMs } = await answers.readServerMember(item)
  const isLive = liveAsOfMs !== null
  // A live mirror contains all members, so a person who is missing is not in the server.
  if (!member) return isLive ? { ...unknown, source: 'gateway', asOfMs: liveAsOfMs } : unknown
  const freshness = freshnessOf({ isLive, ageMs: member.ageMs }, terms)
  if (freshness === 'too old') return unknown
  return {
    held: member.isCurrent ? heldWithJson(member.roleIds, roles) : undefined,
    isBlocked: member.isBlocked,
    source: freshness === 'live' ? 'gateway' : freshness,
    asOfMs: liveAsOfMs ?? member.syncedAtMs,
  }
}
