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
 * Checks the roles of many members of a server, and returns the response as JSON in UTF-8. Fresh cached roles are
 * used. One statement reads all others from the mirror. No request is sent to Discord, so the time does not depend on
 * how many members have old roles.
 */
export async function checkMany(
  { answers, settings }: ManyDeps,
  { serverId, memberIds, isAllowed }: CheckRequest,
): Promise<Buffer> {
  const terms = memberTerms(settings.current().permissionTtlMs)
  // All cached roles are read in one synchronous step, because the lease is checked once for them.
  const nowMs = answers.leasedNowMs()
  const cached = memberIds.map((memberId) =>
    nowMs === undefined ? undefined : cachedRoles(answers, { serverId, memberId }, terms, nowMs),
  )
  const others = memberIds.filter((_, i) => !cached[i]).map((memberId) => ({ serverId, memberId }))
  const read = others.length === 0 ? [] : await answers.readServerMembers(others)
  const found = read.map((one) => mirroredRoles(one, terms)).values()
  return encoded(
    memberIds.map((memberId, i) => resultOf(memberId, cached[i] ?? found.next().value ?? unknown, isAllowed)),
  )
}

/** The result for one member: the roles as JSON in UTF-8, and the JSON before and after them, which is ASCII. */
interface Result {
  readonly before: string
  readonly roles: Buffer
  readonly after: string
}

const noRoles = Buffer.from('[]')

/** Returns the result for one member. The ID needs no escaping, because the contract permits only digits. */
function resultOf(memberId: string, known: Known, isAllowed: CheckRequest['isAllowed']): Result {
  const { held, isBlocked, source, asOfMs } = known
  const allowed = held !== undefined && !isBlocked && isAllowed(held.roles)
  const asOf = asOfMs === null ? 'null' : `"${isoTime(asOfMs)}"`
  return {
    before: `{"memberId":"${memberId}","allowed":${allowed},"isMember":${held !== undefined},"roles":`,
    roles: held?.encoded ?? noRoles,
    after: `,"rolesSource":"${source}","rolesAsOf":${asOf}}`,
  }
}

/**
 * Returns the response. The roles are copied as they are, because encoding the whole response as one text takes as
 * long as all checks.
 */
function encoded(results: readonly Result[]): Buffer {
  const [start, comma, end] = ['{"data":[', ',', ']}']
  const length = results.reduce(
    (sum, { before, roles, after }) => sum + before.length + roles.length + after.length + comma.length,
    start.length + end.length,
  )
  const bytes = Buffer.allocUnsafe(length)
  let at = 0
  const write = (ascii: string) => {
    at += bytes.write(ascii, at, 'latin1')
  }
  for (const { before, roles, after } of results) {
    write(at === 0 ? start : comma)
    write(before)
    at += roles.copy(bytes, at)
    write(after)
  }
  write(end)
  return bytes.subarray(0, at)
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
