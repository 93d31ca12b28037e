import type { Member } from '@rolecall/contract'
import { shownName } from '#member/shown-name'
import { isFresh, memberTerms } from '#mirror/freshness'
import { digestOf, isWellFormed } from '#platform/crypto/tokens'
import { ApiError } from '#platform/http/api-error'
import { headersElsewhere } from '#platform/http/common-headers'
import { readCookie } from '#platform/http/cookies'
import { extendHead, type PreparedHead, prepareHead } from '#platform/http/send'
import { remoteHeaders } from '#responses/remote-headers'
import type { HeldRole } from '#responses/roles'
import type { HostRule } from '#session-memory/host-rules-store'
import { liveSession, readSession } from '#session-memory/live-session'
import { type Session, type SessionAt, sessionAt } from '#session-memory/session'
import { freshestRoles } from '../../checks/freshest-roles.ts'
import type { Deps } from '../../deps.ts'
import { hostCheck, hostRolesCheck, isServed } from './checks.ts'
import type { ForwardedRequest } from './forwarded-request.ts'

type CheckDeps = Pick<Deps, 'answers' | 'settings' | 'refreshMember'>

/**
 * Returns the name of a host's session cookie. With HTTPS, its prefix `__Host-` prevents sibling hosts from setting it.
 * Browsers send a cookie to every port of a host name. So the name contains the port: otherwise, a sign-in at one port
 * would overwrite the session of another.
 */
export function hostCookie({ host, isSecure }: Pick<ForwardedRequest, 'host' | 'isSecure'>): string {
  const name = isSecure ? '__Host-rolecall' : 'rolecall'
  const port = host.includes(':') ? /:(\d+)$/.exec(host)?.[1] : undefined
  return port === undefined ? name : `${name}-${port}`
}

/** Returns the token in the host's session cookie. Returns undefined if it is missing or malformed. */
export function readHostToken(request: ForwardedRequest, header: string | undefined): string | undefined {
  const token = readCookie(header, hostCookie(request))
  return token !== undefined && isWellFormed('hostSession', token) ? token : undefined
}

/**
 * Returns the rule of a host: its project, its server, and the required roles.
 *
 * @throws HOST_UNKNOWN if no project protects the host, or the rule has no server
 */
export async function ruleOf(
  { answers }: Pick<Deps, 'answers'>,
  host: string,
): Promise<HostRule & { serverId: string }> {
  const rule = await answers.findHostRule(host)
  if (!isServed(rule)) throw new ApiError(hostCheck.refusal)
  return rule
}

/** The decision about a request. */
export type HostDecision =
  /** The request may pass, with these headers, which identify the member. */
  | { readonly headers: Record<string, string> }
  /** The member is signed in, but has none of the required roles. */
  | { readonly lacksRoles: true; readonly memberId: string }
  /** The browser has no live session at this host. */
  | 'signedOut'

/**
 * Decides whether a request may pass. Uses the same cache and the same rules about the age of roles as `validate`.
 *
 * @throws CHAT_PLATFORM_UNAVAILABLE if the roles are too old and Discord does not respond
 */
export async function decide(
  deps: CheckDeps,
  rule: HostRule & { serverId: string },
  token: string | undefined,
): Promise<HostDecision> {
  if (token === undefined) return 'signedOut'
  const current = await currentSession(deps, rule, digestOf(token))
  if (!current) return 'signedOut'
  const { roleIds, memberId } = current.session
  if (!hostRolesCheck.holds({ anyOf: rule.anyOf, roleIds })) return { lacksRoles: true, memberId }
  return { headers: headersOf(current.session, rule.remoteUser) }
}

/**
 * Returns the response to a request that may pass, using the cache alone. Returns undefined if the cache does not
 * suffice or the request may not pass. Then call `decide`, which finds out the reason. Must be synchronous: the lease
 * that permits the use of the cache must still be valid when the response is created.
 */
export function decideFromMemory(
  { answers, settings }: Pick<CheckDeps, 'answers' | 'settings'>,
  request: ForwardedRequest,
  cookies: string | undefined,
): PreparedHead | undefined {
  const nowMs = answers.leasedNowMs()
  const rule = nowMs === undefined ? undefined : answers.findCachedHostRule(request.host)
  const token = rule && readHostToken(request, cookies)
  if (nowMs === undefined || token === undefined || !isServed(rule)) return undefined
  const session = answers.findSession(digestOf(token))
  if (session?.projectId !== rule.projectId || session.serverId !== rule.serverId) return undefined
  if (session.expiresAtMs <= nowMs) return undefined
  if (!isFresh(sessionAt(session, nowMs), memberTerms(settings.current().permissionTtlMs))) return undefined
  // Finding out the roles that still exist takes longer than the rest, so it is done only for a host that requires any.
  const { anyOf } = rule
  if (!hostRolesCheck.holds({ anyOf, roleIds: anyOf.length > 0 ? session.roleIds : [] })) return undefined
  return headOf(session, rule.remoteUser)
}

/** Returns the live session of a token at this host, with roles that are fresh enough. Undefined if there is none. */
async function currentSession(
  { answers, settings, refreshMember }: CheckDeps,
  { projectId, serverId }: HostRule & { serverId: string },
  tokenDigest: string,
): Promise<SessionAt | undefined> {
  // A session of another project, or of the server that the rule had earlier, is not valid at this host.
  const ofHost = (live: SessionAt | undefined) =>
    live?.session.projectId === projectId && live.session.serverId === serverId ? live : undefined
  const known = ofHost(await liveSession(answers, tokenDigest))
  if (!known) return undefined
  const { memberId } = known.session
  const { known: fresh } = await freshestRoles({
    known,
    terms: memberTerms(settings.current().permissionTtlMs),
    refresh: () => refreshMember(serverId, memberId),
    reread: async () => ofHost(await readSession(answers, tokenDigest)),
  })
  return fresh
}

/** The cached response for a session that may pass: a head, because the response has no body. */
interface HostHead {
  /** The response of `validate` from which the headers were built. */
  readonly text: string
  readonly remoteUser: HostRule['remoteUser']
  readonly head: PreparedHead
}

const headsBySession = new WeakMap<Session, HostHead>()
const emptyHead = prepareHead(200, headersElsewhere)

/**
 * Returns the response for a session that may pass. Reuses the cached response while the member and the roles have not
 * changed. The response of `validate` omits roles that Discord has deleted, so the caller checks the required roles.
 */
function headOf(session: Session, remoteUser: HostRule['remoteUser']): PreparedHead {
  const text = session.toJson(0, '')
  const cached = headsBySession.get(session)
  if (cached?.text === text && cached.remoteUser === remoteUser) return cached.head
  const head = extendHead(emptyHead, headersOf(session, remoteUser))
  headsBySession.set(session, { text, remoteUser, head })
  return head
}

/** Returns the headers that identify the member of a session. */
function headersOf(session: Session, remoteUser: HostRule['remoteUser']): Record<string, string> {
  const { member, roles } = JSON.parse(session.toJson(0, '')) as MemberWithRoles
  return remoteHeaders({
    user: remoteUser === 'id' ? member.id : member.username,
    memberId: member.id,
    name: shownName(member),
    email: member.email ?? '',
    roles,
    groupRule: session.groupRule,
  })
}

/** The part of a `validate` response that the headers contain. */
interface MemberWithRoles {
  readonly member: Member
  readonly roles: readonly HeldRole[]
}
