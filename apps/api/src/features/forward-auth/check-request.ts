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
 * The cookie that a host has; its prefix keeps siblings from writing it, and needs https. Browsers send a cookie to every
 * port of a name, so a port has one of its own: else whoever logs in there is logged out here.
 */
export function hostCookie({ host, isSecure }: Pick<ForwardedRequest, 'host' | 'isSecure'>): string {
  const name = isSecure ? '__Host-rolecall' : 'rolecall'
  const port = /:(\d+)$/.exec(host)?.[1]
  return port === undefined ? name : `${name}-${port}`
}

/** The token of the host's cookie, where it has the form of one. */
export function readHostToken(request: ForwardedRequest, header: string | undefined): string | undefined {
  const token = readCookie(header, hostCookie(request))
  return token !== undefined && isWellFormed('hostSession', token) ? token : undefined
}

/**
 * Whose rule a host has.
 * @throws HOST_UNKNOWN when it is nobody's, or there is no server whose members could be let in
 */
export async function ruleOf(
  { answers }: Pick<Deps, 'answers'>,
  host: string,
): Promise<HostRule & { serverId: string }> {
  const rule = await answers.hostRule(host)
  if (!isServed(rule)) throw new ApiError(hostCheck.refusal)
  return rule
}

/** What is to be said of a request: who asks, as headers; or that nobody is logged in; or that they lack the roles. */
export type HostDecision =
  | { readonly headers: Record<string, string> }
  | { readonly lacksRoles: true; readonly memberId: string }
  | 'nobody'

/**
 * May this request pass? As fresh as validate, from the same store: in memory while a lease vouches for it.
 * @throws CHAT_PLATFORM_UNAVAILABLE when roles are too old to decide by and nobody can be asked
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
 * The same in one step, from memory alone, for whoever may pass: the lease is checked in the step that makes the answer.
 * Undefined for whatever needs more than that, and for whoever may not: `decide` then says what they are told.
 */
export function decideFromMemory(
  { answers, settings }: Pick<CheckDeps, 'answers' | 'settings'>,
  request: ForwardedRequest,
  cookies: string | undefined,
): readonly string[] | undefined {
  const nowMs = answers.goodAtMs()
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
  // Another project's, or one of the server that was asked for before, is nobody here.
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
  /** The same as name, value, name, value. */
  readonly lines: readonly string[]
}
const made = new WeakMap<Session, HostHeaders>()

/** The headers that a session makes; the last ones serve again while nothing in them has changed. */
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

/** What of an answer of validate is told to an application behind a proxy. */
interface Told {
  readonly member: Member
  readonly roles: readonly HeldRole[]
}
