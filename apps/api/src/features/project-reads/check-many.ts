import type { projectReads } from '@rolecall/contract'
import { type FreshnessTerms, freshnessOf, isFresh, memberTerms } from '#mirror/freshness'
import { isoTime } from '#responses/iso-time'
import { type HeldRole, type HeldRoles, heldWithJson } from '#responses/roles'
import type { MemberItem, ServerMemberRead } from '#session-memory/server-members-store'
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
interface CheckRequest {
  readonly serverId: string
  readonly memberIds: readonly string[]
  readonly isAllowed: (roles: readonly HeldRole[]) => boolean
}

/** The result if nothing usable is known about a person. It permits nothing, and `rolesAsOf` is null. */
const unknown: Known = { held: undefined, isBlocked: false, source: 'mirror', asOfMs: null }

/**
 * Checks the roles of many members of a server, and returns the response as JSON text. Fresh cached roles are used. One
 * statement reads all others from the mirror. No request is sent to Discord, so the time does not depend on how many
 * members have old roles.
 */
export async function checkMany(
  { answers, settings }: ManyDeps,
  { serverId, memberIds, isAllowed }: CheckRequest,
): Promise<string> {
  const terms = memberTerms(settings.current().permissionTtlMs)
  // All cached roles are read in one synchronous step, because the lease is checked once for them.
  const nowMs = answers.leasedNowMs()
  const cached = memberIds.map((memberId) =>
    nowMs === undefined ? undefined : cachedRoles(answers, { serverId, memberId }, terms, nowMs),
  )
  const others = memberIds.filter((_, i) => !cached[i]).map((memberId) => ({ serverId, memberId }))
  const read = others.length === 0 ? [] : await answers.readServerMembers(others)
  const found = read.map((one) => mirroredRoles(one, terms)).values()
  const checked = memberIds.map((memberId, i) =>
    checkedJson(memberId, cached[i] ?? found.next().value ?? unknown, isAllowed),
  )
  return `{"data":[${checked.join(',')}]}`
}

/**
 * Returns the result for one member as JSON. `JSON.stringify` of 1,000 results would take twice as long. The ID needs
 * no escaping, because the contract permits only digits.
 */
function checkedJson(memberId: string, known: Known, isAllowed: CheckRequest['isAllowed']): string {
  const { held, isBlocked, source, asOfMs } = known
  const allowed = held !== undefined && !isBlocked && isAllowed(held.roles)
  const asOf = asOfMs === null ? 'null' : `"${isoTime(asOfMs)}"`
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
  const cached = answers.findHeldRoles(item, nowMs)
  if (!cached || !isFresh(cached, terms)) return undefined
  const { held, isLive, asOfMs } = cached
  // Blocked members are not cached.
  return { held, isBlocked: false, source: isLive ? 'gateway' : 'rest', asOfMs }
}

/** Returns what the mirror knows about a person. */
function mirroredRoles({ member, roles, liveAsOfMs }: ServerMemberRead, terms: FreshnessTerms): Known {
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
