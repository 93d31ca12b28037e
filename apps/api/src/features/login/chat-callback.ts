import { login } from '@rolecall/contract'
import type { ChatMember, ChatUser } from '#chat/chat-platform'
import { findServerName } from '#mirror/read-servers'
import { digestOf } from '#platform/crypto/tokens'
import type { Queryable } from '#platform/db/database'
import { readTime } from '#platform/db/read-time'
import { ApiError } from '#platform/http/api-error'
import { chatPlatformUnavailable } from '#platform/http/problem'
import type { Client } from '#platform/http/router'
import { firstFailed } from '../../checks/check.ts'
import type { Deps } from '../../deps.ts'
import { type LoginRefusal, noticeOf } from '../../pages/refusal-notice.ts'
import { accountPath, accountRefusal, isForAccount } from './account-login.ts'
import { pageRequestCookie, readSecrets, secretsCookie } from './auth-request.ts'
import { checkStillListed } from './authorize.ts'
import { callbackChecks, codeCheck, failureOf, type MembershipResult } from './checks.ts'
import { commandLineQuery, isForCommandLine, storeForConfirmation } from './command-line-login.ts'
import type { CompleteInteraction } from './complete-interaction.ts'
import { issueCode, issueSso } from './issue-code.ts'
import { isAccountRefusal, type NoteRefusal } from './note-refusal.ts'
import { describeRefusal, toLoginProblem, withCode, withError } from './project-redirect.ts'
import { isReturnTo } from './return-to.ts'
import { type AuthRequest, claimAuthRequest, isClaimedRequest, isInAnyServer, lockMember } from './store.ts'

/** Returns the member's block in force, if there is one. */
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
export type Administers = (member: {
  readonly memberId: string
  readonly roleIds: readonly string[]
}) => Promise<boolean>

type CallbackDeps = LoginDeps & {
  readonly administers: Administers
  readonly completeInteraction: CompleteInteraction
}

/** The query of the callback, to which Discord redirects the browser. */
export interface Callback {
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

/** The redirect of a finished sign-in, and the cookies that it sets. */
export interface LoginEnd {
  readonly location: string
  readonly cookies: readonly string[]
}

/**
 * Completes a sign-in with Discord's response. The state and the cookie must match a stored request, which can be used
 * once. The browser is redirected only after this check, and only to the address in the stored request. A refusal
 * redirects to a project, and is thrown for a sign-in to a page of the service.
 *
 * @throws LOGIN_REQUEST_INVALID, RATE_LIMITED, and the errors of `refuse`
 */
export async function chatCallback(
  deps: CallbackDeps,
  answer: Callback,
  browser: Browser & { readonly client: Client },
): Promise<LoginEnd> {
  const { db, chat, config, loginLimits } = deps
  // A response from another issuer does not belong to this request (RFC 9207, mix-up attack).
  if (!chat.isIssuer(answer.iss)) throw new ApiError('LOGIN_REQUEST_INVALID', { reason: 'issuer' })
  const secrets = [browser.cookie, browser.pageCookie].flatMap(readSecrets)
  // The permit is taken before the request is claimed, so that a client over its limit can retry this address later.
  const permit = await loginLimits.take(browser.address)
  const request = await claimAuthRequest(db, answer.state, secrets.map(digestOf))
  if (!request) {
    await permit.giveBack()
    const reason = (await isClaimedRequest(db, answer.state)) ? 'replayed' : 'unknown'
    throw new ApiError('LOGIN_REQUEST_INVALID', { reason })
  }
  const startPermit = loginLimits.takenAgo(request.address, request.ageMs)
  // The stored request is checked again, because another version of the service or an attacker may have written it.
  const isForService =
    isForAccount(request) || isForCommandLine(request) || isReturnTo(config.publicUrl, request.redirectUri)
  if (request.projectId === null && !isForService) {
    throw new ApiError('LOGIN_REQUEST_INVALID', { reason: 'return_to' })
  }
  // The secret is removed from the cookie unless it is needed later: to redeem the console's code, or to confirm the
  // sign-in of a command line.
  const needsSecret = request.projectId === null && !isForAccount(request)
  const isSpent = (secret: string) => !needsSecret && digestOf(secret) === request.browserDigest
  const remainingSecrets = (held: string | undefined) =>
    readSecrets(held).filter((secret) => !isSpent(secret))
  const updatedCookies = [
    secretsCookie(config, remainingSecrets(browser.cookie)),
    ...(browser.pageCookie === undefined
      ? []
      : [secretsCookie(config, remainingSecrets(browser.pageCookie), pageRequestCookie)]),
  ]

  const end = await complete(deps, answer, browser, request)
  if ('refusal' in end) {
    return { location: await refuse(deps, request, end, browser.client), cookies: updatedCookies }
  }
  await permit.giveBack()
  await startPermit.giveBack()
  return { location: end.location, cookies: [...updatedCookies, end.ssoCookie] }
}

/** A refused sign-in. */
interface Refused {
  readonly refusal: LoginRefusal
  /** The account that tried to sign in, if Discord identified it. */
  readonly memberId?: string | undefined
}

type Outcome = Refused | { readonly location: string; readonly ssoCookie: string }

/** Asks Discord about the person, applies all checks, and issues the code. Redirects nowhere. */
async function complete(
  deps: CallbackDeps,
  answer: Callback,
  browser: Browser,
  request: AuthRequest,
): Promise<Outcome> {
  if (answer.error || !answer.code) {
    return { refusal: answer.error === 'access_denied' ? 'declined' : 'server_error' }
  }
  const askedAt = await readTime(deps.db)
  const { user, ...result } = await askPlatform(deps, answer.code, browser, request)
  // Also records that the person is not in the server, if `member` is undefined.
  if (user) await deps.mirrorMember(request.serverId, user, result.member, askedAt)
  const isBlocked = user && (await isBlockedNow(deps, user.id))
  // The account page is open to members of any registered server. Its request names the main server.
  const isKnownMember = user && isForAccount(request) && (await isInAnyServer(deps.db, user.id))
  const member = isKnownMember ? user : result.member
  const failed = firstFailed(callbackChecks, { ...result, member, isBot: user?.isBot, isBlocked })
  if (failed || !user) return { refusal: failed?.refusal ?? 'server_error', memberId: user?.id }
  if (request.projectId === null && !isForAccount(request)) {
    const roleIds = result.member?.roleIds ?? []
    if (!(await deps.administers({ memberId: user.id, roleIds }))) {
      return { refusal: 'not_an_admin', memberId: user.id }
    }
  }
  return finish(deps, request, user.id, browser)
}

/** Discord's response about the person. Without `user`, `failure` is set. */
interface PlatformAnswer extends MembershipResult {
  readonly user?: ChatUser
  readonly member?: ChatMember | undefined
}

/** Redeems Discord's code, and reads the person's membership in the server. Never throws for a failure of Discord. */
async function askPlatform(
  deps: LoginDeps,
  code: string,
  { address: from }: Browser,
  { serverId, chatCodeVerifier: codeVerifier }: AuthRequest,
): Promise<PlatformAnswer> {
  try {
    const user = await deps.chat.identify({ code, codeVerifier, from })
    return { user, member: await deps.chat.member(serverId, user.id, 'login') }
  } catch (error) {
    return { failure: loggedFailure(deps, error) }
  }
}

/** Returns true if the member is blocked now. The redemption of the code checks for a block again. */
export const isBlockedNow = async (
  { db, findBlock }: Pick<LoginDeps, 'db' | 'findBlock'>,
  memberId: string,
) => (await findBlock(db, memberId)) !== undefined

/**
 * Ends a sign-in that passed all checks, in one transaction. Starts single sign-on, and issues the code or, depending
 * on the request, completes the waiting request of OpenID Connect (`interaction`), or stores the sign-in of a command
 * line for its confirmation.
 */
function finish(
  { db, config, completeInteraction }: CallbackDeps,
  request: AuthRequest,
  memberId: string,
  browser: Browser,
): Promise<Outcome> {
  return db.transaction(async (tx) => {
    // The member was erased since the checks.
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
      ...(projectId === null && { browserDigest: request.browserDigest }),
      ip,
      userAgent,
    })
    if (code === undefined) return { refusal: codeCheck.refusal, memberId }
    const ssoCookie = await issueSso(tx, config, memberId, browser)
    const location =
      projectId === null ? `${redirectUri}#code=${code}` : withCode(request, code, config.publicUrl)
    return { location, ssoCookie }
  })
}

/** Logs an error of Discord during a sign-in, and returns its kind. Rethrows any other error. */
export function loggedFailure({ logLoginFailure }: Pick<Deps, 'logLoginFailure'>, error: unknown) {
  const failure = failureOf(error)
  logLoginFailure(error)
  return failure
}

/**
 * Returns the address to which a refused sign-in redirects: the project's redirect URI, or the page that continues the
 * request of OpenID Connect. A sign-in to a page of the service throws the refusal instead, which is shown as a page.
 *
 * @throws CHAT_PLATFORM_UNAVAILABLE, MEMBER_BLOCKED, NOT_SYSTEM_ADMIN, LOGIN_REFUSED, and the errors of
 * `checkStillListed`
 */
async function refuse(
  { db, config, completeInteraction, noteRefusal }: CallbackDeps,
  request: AuthRequest,
  { refusal, memberId }: Refused,
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
  if (isForAccount(request)) throw accountRefusal(refusal, server, account)
  const again = adminLoginAgain(request)
  const explanation = { detail: describeRefusal(refusal, server), notice: noticeOf(refusal, server) }
  if (refusal === 'temporarily_unavailable' || refusal === 'server_error') {
    throw chatPlatformUnavailable(undefined, { again })
  }
  if (refusal === 'blocked') {
    throw new ApiError('MEMBER_BLOCKED', { reason: 'admin_login', ...explanation, ...account })
  }
  throw new ApiError('NOT_SYSTEM_ADMIN', {
    reason: 'admin_login',
    ...explanation,
    ...account,
    again,
    isCanceled: refusal === 'declined',
  })
}

/** Returns the address that starts the same admin sign-in again, with the same code challenge. */
function adminLoginAgain(request: AuthRequest): string {
  if (isForCommandLine(request)) return `${login.adminLogin.path}?${commandLineQuery(request)}`
  const { redirectUri, codeChallenge } = request
  const query = new URLSearchParams({ return_to: redirectUri })
  if (codeChallenge !== null) query.set('code_challenge', codeChallenge)
  return `${login.adminLogin.path}?${query}`
}
