import type { ChatMember, ChatUser } from '#chat/chat-platform'
import { ChatPlatformError } from '#chat/chat-platform'
import { digestOf } from '#platform/crypto/tokens'
import { readTime } from '#platform/db/read-time'
import { ApiError } from '#platform/http/api-error'
import { chatPlatformUnavailable } from '#platform/http/problem'
import type { Deps } from '../../deps.ts'
import { readSecrets, secretsCookie } from './auth-request.ts'
import { issueCode, issueSso } from './issue-code.ts'
import { describeRefusal, type LoginRefusal, withCode, withError } from './project-redirect.ts'
import { isReturnTo } from './return-to.ts'
import { type AuthRequest, claimAuthRequest, findServerName, isClaimedRequest } from './store.ts'

export type LoginDeps = Pick<Deps, 'db' | 'chat' | 'config' | 'log' | 'mirrorMember' | 'loginLimits'>

export interface Callback {
  readonly code?: string | undefined
  readonly state: string
  readonly iss?: string | undefined
  readonly error?: string | undefined
}

/** The browser that came through the callback. */
export interface Browser {
  readonly cookie: string | undefined
  readonly ssoCookie: string | undefined
  /** Its address, as limits count addresses. */
  readonly address: string
  readonly ip: string | null
  readonly userAgent: string | null
}

export interface LoginEnd {
  readonly location: string
  readonly cookies: readonly string[]
}

/**
 * The platform's answer to a login. State, cookie and request must agree, and are good for one use; only
 * then does anything redirect, and only to where the request was checked to come from.
 */
export async function chatCallback(deps: LoginDeps, answer: Callback, browser: Browser): Promise<LoginEnd> {
  const { db, chat, config, loginLimits } = deps
  // RFC 9207: an answer of another issuer is not the answer to our question (mix-up).
  if (!chat.isIssuer(answer.iss)) throw new ApiError('LOGIN_REQUEST_INVALID', { reason: 'issuer' })
  const secrets = readSecrets(browser.cookie)
  // Before it is claimed: who comes too often may open the same address again a little later.
  const permit = await loginLimits.take(browser.address)
  const request = await claimAuthRequest(db, answer.state, secrets.map(digestOf))
  if (!request) {
    await permit.giveBack()
    const reason = (await isClaimedRequest(db, answer.state)) ? 'replayed' : 'unknown'
    throw new ApiError('LOGIN_REQUEST_INVALID', { reason })
  }
  const begun = loginLimits.takenAgo(request.address, request.ageMs)
  // Stored rows are checked like sent ones: an older version may have written them.
  if (request.projectId === null && !isReturnTo(config.publicUrl, request.redirectUri)) {
    throw new ApiError('LOGIN_REQUEST_INVALID', { reason: 'return_to' })
  }
  // The console redeems its code with the secret of the browser that began.
  const isOver = (secret: string) => request.projectId !== null && digestOf(secret) === request.browserDigest
  const forget = secretsCookie(
    config,
    secrets.filter((secret) => !isOver(secret)),
  )

  const end = await complete(deps, answer, browser, request)
  if ('refusal' in end) return { location: await refuse(deps, request, end.refusal), cookies: [forget] }
  await permit.giveBack()
  await begun.giveBack()
  return { location: end.location, cookies: [forget, end.ssoCookie] }
}

type Outcome = { readonly refusal: LoginRefusal } | { readonly location: string; readonly ssoCookie: string }

async function complete(
  deps: LoginDeps,
  answer: Callback,
  browser: Browser,
  request: AuthRequest,
): Promise<Outcome> {
  if (answer.error || !answer.code) {
    return { refusal: answer.error === 'access_denied' ? 'declined' : 'server_error' }
  }
  let user: ChatUser
  let member: ChatMember | undefined
  const askedAt = await readTime(deps.db)
  try {
    const { chatCodeVerifier: codeVerifier } = request
    user = await deps.chat.identify({ code: answer.code, codeVerifier, from: browser.address })
    member = await deps.chat.member(request.serverId, user.id, 'login')
  } catch (error) {
    return { refusal: failureOf(deps, error) }
  }
  await deps.mirrorMember(request.serverId, user, member, askedAt)
  if (!member || user.isBot) return { refusal: 'not_a_member' }
  if (request.projectId === null && !isAdmin(deps.config, member)) return { refusal: 'not_an_admin' }
  return finish(deps, request, user.id, browser)
}

const isAdmin = ({ chatAdminRoleId }: Deps['config'], { roleIds }: ChatMember) =>
  chatAdminRoleId !== undefined && roleIds.includes(chatAdminRoleId)

/** Issues code and single sign-on together. */
function finish(
  { db, config }: LoginDeps,
  request: AuthRequest,
  memberId: string,
  browser: Browser,
): Promise<Outcome> {
  return db.transaction(async (tx) => {
    const { ip, userAgent } = browser
    const { projectId, serverId, redirectUri, codeChallenge } = request
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
    if (!code) return { refusal: 'no_access' }
    const ssoCookie = await issueSso(tx, config, memberId, browser)
    const location =
      projectId === null ? `${redirectUri}#code=${code}` : withCode(request, code, config.publicUrl)
    return { location, ssoCookie }
  })
}

/** An outage asks for patience; a refusal of the platform is ours to mend, and logged. */
export function failureOf({ log }: Pick<Deps, 'log'>, error: unknown): LoginRefusal {
  if (!(error instanceof ChatPlatformError)) throw error
  log.warn({ err: error, platformCode: error.platformCode }, 'a login failed at the chat platform')
  return error.failure === 'unavailable' ? 'temporarily_unavailable' : 'server_error'
}

/** Where a refused login goes: back to the project, or for an admin login to a page of ours. */
async function refuse({ db, config }: LoginDeps, request: AuthRequest, refusal: LoginRefusal) {
  const server = await findServerName(db, request.serverId)
  if (request.projectId !== null) return withError(request, refusal, config.publicUrl, server)
  const again = adminLoginAgain(request)
  if (refusal === 'temporarily_unavailable' || refusal === 'server_error') {
    throw chatPlatformUnavailable(undefined, { again })
  }
  throw new ApiError('NOT_SYSTEM_ADMIN', {
    reason: 'admin_login',
    detail: describeRefusal(refusal, server),
    again,
    isCancelled: refusal === 'declined',
  })
}

/** The same login once more: whoever holds the verifier of its challenge still does. */
function adminLoginAgain({ redirectUri, codeChallenge }: AuthRequest): string {
  const query = new URLSearchParams({ return_to: redirectUri })
  if (codeChallenge !== null) query.set('code_challenge', codeChallenge)
  return `/api/auth/admin/login?${query}`
}
