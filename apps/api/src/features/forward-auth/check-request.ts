import type { Member } from '@rolecall/contract'
import { shownName } from '#member/shown-name'
import { isFresh, memberTerms } from '#mirror/freshness'
import { digestOf, isWellFormed } from '#platform/crypto/tokens'
import { ApiError } from '#platform/http/api-error'
import { readCookie } from '#platform/http/cookies'
import { remoteHeaders } from '#responses/remote-headers'
import type { HeldRole } from '#responses/roles'
import type { HostRule } from '#session-memory/host-rules-store'
import { liveSession, readSession } from '#session-memory/live-session'
import type { Session, SessionAt } from '#session-memory/session'
import { freshestRoles } from '../../checks/freshest-roles.ts'
import type { Deps } from '../../deps.ts'
import { hostCheck, hostRolesCheck, isServed } from './checks.ts'
import type { ForwardedRequest } from './forwarded-request.ts'

type CheckDeps = Pick<Deps, 'answers' | 'settings' | 'refreshMember'>

/**
 * Returns the name of a host's session cookie. Its prefix keeps sibling hosts from writing it, and requires HTTPS.
 * Browsers send a cookie to every port of a host name, so each port has its own cookie. Otherwise a sign-in at one port
 * would end the session at another.
 */
export function hostCookie({ host, isSecure }: Pick<ForwardedRequest, 'host' | 'isSecure'>): string {
  const name = isSecure ? '__Host-rolecall' : 'rolecall'
  const port = /:(\d+)$/.exec(host)?.[1]
  return port === undefined ? name : `${name}-${port}`
}

/** Returns the token in the host's cookie, if it is well-formed. */
export function readHostToken(request: ForwardedRequest, header: string | undefined): string | undefined {
  const token = readCookie(header, hostCookie(request))
  return token !== undefined && isWellFormed('hostSession', token) ? token : undefined
}

/**
 * Returns the rule of a host.
 * @throws HOST_UNKNOWN if no project protects it, or there is no server with members to admit
 */
export async function ruleOf(
  { answers }: Pick<Deps, 'answers'>,
  host: string,
): Promise<HostRule & { serverId: string }> {
  const rule = await answers.hostRule(host)
  if (!isServed(rule)) throw new ApiError(hostCheck.refusal)
  return rule
}

/**
 * The decision about a request: the headers that identify the member, or the missing roles, or that no member is signed
 * in.
 */
export type HostDecision =
  | { readonly headers: Record<string, string> }
  | { readonly lacksRoles: true; readonly memberId: string }
  | 'nobody'

/**
 * Decides about a request. The answer is as fresh as one of validate, and from the same store: from memory while a
 * lease vouches for it.
 * @throws CHAT_PLATFORM_UNAVAILABLE if the roles are too old and the platform is unreachable
 */
export async function decide(
  deps: CheckDeps,
  rule: HostRule & { serverId: string },
  token: string | undefined,
): Promise<HostDecision> {
  if (token === undefined) return 'nobody'
  const known = await currentSession(deps, rule, digestOf(token))
  if (!known) return 'nobody'
  const { roleIds, memberId } = known.session
  if (!hostRolesCheck.holds({ anyOf: rule.anyOf, roleIds })) return { lacksRoles: true, memberId }
  return { headers: headersOf(known.session, rule.remoteUser).headers }
}

/**
 * Decides in one step, from memory alone, for a request that may pass: the lease is checked in the step that makes the
 * answer. Returns undefined if more than memory is needed, or if the request may not pass; then `decide` gives the
 * reason.
 */
export function decideFromMemory(
  { answers, settings }: Pick<CheckDeps, 'answers' | 'settings'>,
  request: ForwardedRequest,
  cookies: string | undefined,
): readonly string[] | undefined {
  const nowMs = answers.leasedNowMs()
  const rule = nowMs === undefined ? undefined : answers.keptHostRule(request.host)
  const token = rule && readHostToken(request, cookies)
  if (nowMs === undefined || token === undefined || !isServed(rule)) return undefined
  const session = answers.session(digestOf(token))
  if (session?.projectId !== rule.projectId || session.serverId !== rule.serverId) return undefined
  if (session.expiresAtMs <= nowMs) return undefined
  if (session.liveAsOfMs(nowMs) === null) {
    const terms = memberTerms(settings.current().permissionTtlMs)
    if (!isFresh({ isLive: false, ageMs: session.ageMs(nowMs) }, terms)) return undefined
  }
  const { roleIds } = session
  if (!hostRolesCheck.holds({ anyOf: rule.anyOf, roleIds })) return undefined
  return headersOf(session, rule.remoteUser).lines
}

async function currentSession(
  { answers, settings, refreshMember }: CheckDeps,
  { projectId, serverId }: HostRule & { serverId: string },
  tokenDigest: string,
): Promise<SessionAt | undefined> {
  // A session of another project, or of a server that the rule named before, does not count here.
  const ofHost = (live: SessionAt | undefined) =>
    live?.session.projectId === projectId && live.session.serverId === serverId ? live : undefined
  const known = ofHost(await liveSession(answers, tokenDigest))
  if (!known) return undefined
  const { memberId } = known.session
  const { known: current } = await freshestRoles({
    known,
    terms: memberTerms(settings.current().permissionTtlMs),
    refresh: () => refreshMember(serverId, memberId),
    reread: async () => ofHost(await readSession(answers, tokenDigest)),
  })
  return current
}

interface HostHeaders {
  readonly text: string
  readonly remoteUser: string
  readonly headers: Record<string, string>
  /** The same headers as name, value, name, value. */
  readonly lines: readonly string[]
}
const made = new WeakMap<Session, HostHeaders>()

/** Returns the headers for a session. Reuses the previous headers while their content has not changed. */
function headersOf(session: Session, remoteUser: HostRule['remoteUser']): HostHeaders {
  const text = session.answer(0, '')
  const last = made.get(session)
  if (last?.text === text && last.remoteUser === remoteUser) return last
  const { member, roles } = JSON.parse(text) as Told
  const headers = remoteHeaders({
    user: remoteUser === 'id' ? member.id : member.username,
    memberId: member.id,
    name: shownName(member),
    email: member.email ?? '',
    roles,
    groupRule: session.groupRule,
  })
  const now = { text, remoteUser, headers, lines: Object.entries(headers).flat() }
  made.set(session, now)
  return now
}

/** The part of a validate response that an application behind a proxy receives. */
interface Told {
  readonly member: Member
  readonly roles: readonly HeldRole[]
}
