import type { ChatMember, ChatUser } from '#chat/chat-platform'
import { ChatPlatformError } from '#chat/chat-platform'
import { digestOf } from '#platform/crypto/tokens'
import { readTime } from '#platform/db/read-time'
import { ApiError } from '#platform/http/api-error'
import { chatPlatformUnavailable } from '#platform/http/problem'
import type { Deps } from '../../deps.ts'
import { readSecrets, secretsCookie } from './auth-request.ts'
import { issueCode, issueSso } from './issue-code.ts'
import { type LoginError, withCode, withError } from './project-redirect.ts'
import { isReturnTo } from './return-to.ts'
import { type AuthRequest, claimAuthRequest, isClaimedRequest } from './store.ts'

export type LoginDeps = Pick<Deps, 'db' | 'chat' | 'config' | 'log' | 'mirrorMember'>

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
  const { db, chat, config } = deps
  // RFC 9207: an answer of another issuer is not the answer to our question (mix-up).
  if (!chat.isIssuer(answer.iss)) throw new ApiError('LOGIN_REQUEST_INVALID', { reason: 'issuer' })
  const secrets = readSecrets(browser.cookie)
  const request = await claimAuthRequest(db, answer.state, secrets.map(digestOf))
  if (!request) {
    const reason = (await isClaimedRequest(db, answer.state)) ? 'replayed' : 'unknown'
    throw new ApiError('LOGIN_REQUEST_INVALID', { reason })
  }
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
  if ('error' in end) return { location: refusal(deps, request, end.error), cookies: [forget] }
  return { location: end.location, cookies: [forget, end.ssoCookie] }
}

type Outcome = { readonly error: LoginError } | { readonly location: string; readonly ssoCookie: string }

async function complete(
  deps: LoginDeps,
  answer: Callback,
  browser: Browser,
  request: AuthRequest,
): Promise<Outcome> {
  if (answer.error || !answer.code) {
    return { error: answer.error === 'access_denied' ? 'access_denied' : 'server_error' }
  }
  let user: ChatUser
  let member: ChatMember | undefined
  const askedAt = await readTime(deps.db)
  try {
    user = await deps.chat.identify({ code: answer.code, codeVerifier: request.chatCodeVerifier })
    member = await deps.chat.member(request.serverId, user.id, 'login')
  } catch (error) {
    return { error: failureOf(deps, error) }
  }
  await deps.mirrorMember(request.serverId, user, member, askedAt)
  if (!member || user.isBot) return { error: 'access_denied' }
  if (request.projectId === null && !isAdmin(deps.config, member)) return { error: 'access_denied' }
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
    if (!code) return { error: 'access_denied' }
    const ssoCookie = await issueSso(tx, config, memberId, browser)
    const location =
      projectId === null ? `${redirectUri}#code=${code}` : withCode(request, code, config.publicUrl)
    return { location, ssoCookie }
  })
}

/** An outage asks for patience; a refusal of the platform is ours to mend, and logged. */
export function failureOf({ log }: Pick<Deps, 'log'>, error: unknown): LoginError {
  if (!(error instanceof ChatPlatformError)) throw error
  log.warn({ err: error, platformCode: error.platformCode }, 'a login failed at the chat platform')
  return error.failure === 'unavailable' ? 'temporarily_unavailable' : 'server_error'
}

/** Where a refused login goes: back to the project, or for an admin login to a page of ours. */
function refusal({ config }: LoginDeps, request: AuthRequest, error: LoginError): string {
  if (request.projectId !== null) return withError(request, error, config.publicUrl)
  throw error === 'access_denied'
    ? new ApiError('NOT_SYSTEM_ADMIN', { reason: 'admin_login' })
    : chatPlatformUnavailable()
}
