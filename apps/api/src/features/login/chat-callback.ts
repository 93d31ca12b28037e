import { login } from '@rolecall/contract'
import type { ChatMember, ChatUser } from '#chat/chat-platform'
import { findServerName } from '#mirror/read-servers'
import { digestOf } from '#platform/crypto/tokens'
import type { Queryable } from '#platform/db/database'
import { readTime } from '#platform/db/read-time'
import { ApiError } from '#platform/http/api-error'
import type { Client } from '#platform/http/router'
import { firstFailed } from '../../checks/check.ts'
import type { Deps } from '../../deps.ts'
import type { LoginRefusal } from '../../pages/refusal-notice.ts'
import { accountPath, isForAccount } from './account-login.ts'
import { pageRequestCookie, readSecrets, secretsCookie } from './auth-request.ts'
import { checkStillListed } from './authorize.ts'
import { callbackChecks, codeCheck, failureOf, type MembershipResult } from './checks.ts'
import { commandLineQuery, isForCommandLine, storeForConfirmation } from './command-line-login.ts'
import type { CompleteInteraction } from './complete-interaction.ts'
import { issueCode, issueSso } from './issue-code.ts'
import { isAccountRefusal, type NoteRefusal } from './note-refusal.ts'
import { ownPageRefusal } from './own-page-refusal.ts'
import { toLoginProblem, withCode, withError } from './project-redirect.ts'
import { isReturnTo } from './return-to.ts'
import { type AuthRequest, claimAuthRequest, isClaimedRequest, isInAnyServer, lockMember } from './store.ts'

/** Returns the member's active block, if there is one. */
export type FindBlock = (db: Queryable, memberId: string) => Promise<object | undefined>

/** The dependencies of every sign-in, with or without Discord's screen. */
export type LoginDeps = Pick<
  Deps,
  'db' | 'chat' | 'config' | 'logLoginFailure' | 'mirrorMember' | 'loginLimits'
> & {
  readonly findBlock: FindBlock
  readonly noteRefusal: NoteRefusal
}

/**
 * Returns true if a member is a System Admin, an auditor, or an owner of a project, by their roles in the main server.
 */
export type IsAdministrator = (member: {
  readonly memberId: string
  readonly roleIds: readonly string[]
}) => Promise<boolean>

type CallbackDeps = LoginDeps & {
  readonly isAdministrator: IsAdministrator
  readonly completeInteraction: CompleteInteraction
}

/** The query of the callback, to which Discord redirects the browser. */
export interface CallbackQuery {
  readonly code?: string | undefined
  readonly state: string
  /** The issuer of the response (RFC 9207), if Discord names one. */
  readonly iss?: string | undefined
  readonly error?: string | undefined
}

/** The browser that opened the callback. */
export interface Browser {
  /** The value of `requestCookie`. */
  readonly cookie: string | undefined
  /** The value of `pageRequestCookie`. */
  readonly pageCookie?: string | undefined
  readonly ssoCookie: string | undefined
  /** The client address that counts toward the sign-in limits. */
  readonly address: string
  readonly ip: string | null
  readonly userAgent: string | null
}

/** The redirect at the end of a sign-in, accepted or refused, and the cookies to set. */
export interface LoginRedirect {
  readonly location: string
  readonly cookies: readonly string[]
}

/**
 * Completes a sign-in after Discord redirected the browser back to the service:
 *
 * 1. Rejects a response from another issuer, and a client over its limit.
 * 2. Claims the stored request with this state and a secret of this browser's cookies. A request can be claimed once.
 * 3. Redeems Discord's code, and reads the person's membership.
 * 4. Checks the person, and issues the service's code.
 * 5. Redirects, only to the address in the stored request.
 *
 * If the sign-in is refused, redirects to the project with an error. For the service's own pages, throws the error
 * instead.
 *
 * @throws LOGIN_REQUEST_INVALID, RATE_LIMITED, and the errors of `finishRefusedLogin`
 */
export async function chatCallback(
  deps: CallbackDeps,
  query: CallbackQuery,
  browser: Browser & { readonly client: Client },
): Promise<LoginRedirect> {
  const { db, chat, loginLimits } = deps
  // A response from another issuer does not belong to this request (RFC 9207, mix-up attack).
  if (!chat.isIssuer(query.iss)) throw new ApiError('LOGIN_REQUEST_INVALID', { reason: 'issuer' })
  // Acquired before the request is claimed, so that a client over its limit can retry this address later.
  const callbackPermit = await loginLimits.acquire(browser.address)
  const secrets = [browser.cookie, browser.pageCookie].flatMap(readSecrets)
  const request = await claimAuthRequest(db, query.state, secrets.map(digestOf))
  if (!request) {
    await callbackPermit.release()
    const reason = (await isClaimedRequest(db, query.state)) ? 'replayed' : 'unknown'
    throw new ApiError('LOGIN_REQUEST_INVALID', { reason })
  }
  // The permit that the start of this sign-in acquired.
  const loginStartPermit = loginLimits.earlierPermit(request.address, request.ageMs)
  checkDestination(deps, request)
  const cookies = cookiesWithoutUsedSecret(deps, browser, request)
  const outcome = await checkAndIssueCode(deps, query, browser, request)
  if ('refusal' in outcome) {
    return { location: await finishRefusedLogin(deps, request, outcome, browser.client), cookies }
  }
  // Successful sign-ins do not count toward the limit, so both permits are released.
  await callbackPermit.release()
  await loginStartPermit.release()
  return { location: outcome.location, cookies: [...cookies, outcome.ssoCookie] }
}

/** Returns true for a sign-in to the console or from a command line. Only members who administer may complete it. */
const isForAdmin = (request: AuthRequest) => request.projectId === null && !isForAccount(request)

/**
 * Checks the redirect URI of a request to the service's own pages again, because another version of the service or an
 * attacker may have written the stored request.
 *
 * @throws LOGIN_REQUEST_INVALID
 */
function checkDestination({ config }: Pick<Deps, 'config'>, request: AuthRequest): void {
  if (!isForAdmin(request) || isForCommandLine(request)) return
  if (isReturnTo(config.publicUrl, request.redirectUri)) return
  throw new ApiError('LOGIN_REQUEST_INVALID', { reason: 'return_to' })
}

/**
 * Returns the `Set-Cookie` headers that remove the secret of the request from the browser's cookies. An admin sign-in
 * keeps it, to redeem the console's code or to confirm the sign-in from a command line.
 */
function cookiesWithoutUsedSecret(
  { config }: Pick<Deps, 'config'>,
  browser: Browser,
  request: AuthRequest,
): string[] {
  const isUsed = (secret: string) => !isForAdmin(request) && digestOf(secret) === request.browserDigest
  const remaining = (cookie: string | undefined) => readSecrets(cookie).filter((secret) => !isUsed(secret))
  const cookies = [secretsCookie(config, remaining(browser.cookie))]
  if (browser.pageCookie !== undefined) {
    cookies.push(secretsCookie(config, remaining(browser.pageCookie), pageRequestCookie))
  }
  return cookies
}

/** A refused sign-in. */
interface RefusedLogin {
  readonly refusal: LoginRefusal
  /** The account that tried to sign in, if Discord identified it. */
  readonly memberId?: string | undefined
}

type Outcome = RefusedLogin | { readonly location: string; readonly ssoCookie: string }

/** Reads the person's membership from Discord, applies all checks, and issues the code. Does not redirect. */
async function checkAndIssueCode(
  deps: CallbackDeps,
  query: CallbackQuery,
  browser: Browser,
  request: AuthRequest,
): Promise<Outcome> {
  if (query.error || !query.code) {
    return { refusal: query.error === 'access_denied' ? 'declined' : 'server_error' }
  }
  const requestedAt = await readTime(deps.db)
  const { user, ...result } = await readMembership(deps, query.code, browser, request)
  // Also records that the person is not in the server, if `member` is undefined.
  if (user) await deps.mirrorMember(request.serverId, user, result.member, requestedAt)
  const isBlocked = user && (await isBlockedNow(deps, user.id))
  // The request of the account page names the main server, so `result.member` is the membership there. The page also
  // admits people who are members only of another registered server.
  const isKnownMember = user && isForAccount(request) && (await isInAnyServer(deps.db, user.id))
  const member = isKnownMember ? user : result.member
  const failed = firstFailed(callbackChecks, { ...result, member, isBot: user?.isBot, isBlocked })
  if (failed || !user) return { refusal: failed?.refusal ?? 'server_error', memberId: user?.id }
  if (isForAdmin(request)) {
    const roleIds = result.member?.roleIds ?? []
    if (!(await deps.isAdministrator({ memberId: user.id, roleIds }))) {
      return { refusal: 'not_an_admin', memberId: user.id }
    }
  }
  return completeLogin(deps, request, user.id, browser)
}

/** Discord's response about the person. Without `user`, `failure` is set. */
interface MembershipResponse extends MembershipResult {
  readonly user?: ChatUser
  readonly member?: ChatMember | undefined
}

/** Redeems Discord's code, and reads the person's membership in the server. Never throws for a failure of Discord. */
async function readMembership(
  deps: LoginDeps,
  code: string,
  { address: from }: Browser,
  { serverId, chatCodeVerifier: codeVerifier }: AuthRequest,
): Promise<MembershipResponse> {
  try {
    const user = await deps.chat.identify({ code, codeVerifier, from })
    return { user, member: await deps.chat.member(serverId, user.id, 'login') }
  } catch (error) {
    return { failure: logFailure(deps, error) }
  }
}

/** Returns true if the member is blocked now. The redemption of the code checks for a block again. */
export const isBlockedNow = async (
  { db, findBlock }: Pick<LoginDeps, 'db' | 'findBlock'>,
  memberId: string,
) => (await findBlock(db, memberId)) !== undefined

/**
 * Completes a sign-in that passed all checks, in one transaction. Starts single sign-on. Then, depending on the
 * request, issues the code, completes the waiting request of OpenID Connect (`interaction`), or stores the sign-in from
 * a command line for its confirmation. The account page needs only single sign-on.
 */
function completeLogin(
  { db, config, completeInteraction }: CallbackDeps,
  request: AuthRequest,
  memberId: string,
  browser: Browser,
): Promise<Outcome> {
  return db.transaction(async (tx) => {
    // Fails if the member was erased since the checks.
    if (!(await lockMember(tx, memberId))) return { refusal: 'server_error' }
    const { ip, userAgent } = browser
    const { projectId, serverId, redirectUri, codeChallenge, interaction } = request
    if (isForAccount(request)) {
      return { location: accountPath, ssoCookie: await issueSso(tx, config, memberId, browser) }
    }
    if (interaction !== null) {
      await completeInteraction(tx, interaction, { memberId })
      return { location: redirectUri, ssoCookie: await issueSso(tx, config, memberId, browser) }
    }
    if (isForCommandLine(request)) {
      const location = await storeForConfirmation(tx, { ...request, memberId, ip, userAgent })
      return { location, ssoCookie: await issueSso(tx, config, memberId, browser) }
    }
    const code = await issueCode(tx, {
      projectId,
      memberId,
      serverId,
      redirectUri,
      codeChallenge,
      ...(isForAdmin(request) && { browserDigest: request.browserDigest }),
      ip,
      userAgent,
    })
    if (code === undefined) return { refusal: codeCheck.refusal, memberId }
    const ssoCookie = await issueSso(tx, config, memberId, browser)
    const location = isForAdmin(request)
      ? `${redirectUri}#code=${code}`
      : withCode(request, code, config.publicUrl)
    return { location, ssoCookie }
  })
}

/** Logs an error of Discord during a sign-in, and returns its kind. Rethrows any other error. */
export function logFailure({ logLoginFailure }: Pick<Deps, 'logLoginFailure'>, error: unknown) {
  const failure = failureOf(error)
  logLoginFailure(error)
  return failure
}

/**
 * Records a refused sign-in, and returns the address to which it redirects: the project's redirect URI, or the page
 * that continues the request of OpenID Connect. For the service's own pages, throws the error, which is shown as a
 * page.
 *
 * @throws CHAT_PLATFORM_UNAVAILABLE, MEMBER_BLOCKED, NOT_SYSTEM_ADMIN, LOGIN_REFUSED, and the errors of
 * `checkStillListed`
 */
async function finishRefusedLogin(
  { db, config, completeInteraction, noteRefusal }: CallbackDeps,
  request: AuthRequest,
  { refusal, memberId }: RefusedLogin,
  client: Client,
) {
  const server = await findServerName(db, request.serverId)
  const { interaction, redirectUri, projectId, serverId } = request
  const account = memberId === undefined ? {} : { memberId }
  if (projectId !== null && memberId !== undefined && isAccountRefusal(refusal)) {
    noteRefusal({ reason: refusal, memberId, projectId, serverId, path: login.chatCallback.path, client })
  }
  if (interaction !== null) {
    await db.transaction((tx) =>
      completeInteraction(tx, interaction, { problem: toLoginProblem(refusal, server) }),
    )
    return redirectUri
  }
  if (projectId !== null) {
    await checkStillListed({ db, config }, { projectId, serverId, redirectUri })
    return withError(request, refusal, config.publicUrl, server)
  }
  const visit = isForAccount(request)
    ? ({ page: 'account', again: accountPath } as const)
    : ({ page: 'admin_login', again: adminLoginAgain(request) } as const)
  throw ownPageRefusal({ ...visit, refusal, server, account })
}

/** Returns the address that starts the same admin sign-in again, with the same code challenge. */
function adminLoginAgain(request: AuthRequest): string {
  if (isForCommandLine(request)) return `${login.adminLogin.path}?${commandLineQuery(request)}`
  const { redirectUri, codeChallenge } = request
  const query = new URLSearchParams({ return_to: redirectUri })
  if (codeChallenge !== null) query.set('code_challenge', codeChallenge)
  return `${login.adminLogin.path}?${query}`
}
