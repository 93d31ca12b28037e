import { findAdminServer } from '#mirror/read-servers'
import { digestOf } from '#platform/crypto/tokens'
import type { Answer } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/check-request'
import type { Client } from '#platform/http/router'
import { type Pair, respondWithPair } from '../../callers/admin-cookies.ts'
import type { Deps } from '../../deps.ts'
import { openAuthRequest, readSecrets } from './auth-request.ts'
import type { Browser } from './chat-callback.ts'
import { commandLineTarget } from './command-line-login.ts'
import { isReturnTo } from './return-to.ts'

const defaultReturnTo = '/console/'

/** The query of an admin sign-in. At most one of the first three is set, and names where the code is sent. */
export interface AdminLogin {
  readonly return_to?: string | undefined
  readonly redirect_uri?: string | undefined
  readonly response_mode?: 'page' | undefined
  readonly state?: string | undefined
  readonly code_challenge?: string | undefined
}

/**
 * Starts the sign-in of an administrator. It is like the sign-in to a project, but with the main server, and the code
 * goes to a page of the console or to a command line. `cookieValue` is the value of `requestCookie`.
 *
 * @throws VALIDATION_FAILED, MAIN_SERVER_MISSING if there is no main server, and the errors of `openAuthRequest`
 */
export async function adminLogin(
  deps: Pick<Deps, 'db' | 'chat' | 'config' | 'loginLimits'>,
  input: AdminLogin,
  cookieValue: string | undefined,
  address: string,
) {
  checkOneDestination(input)
  const { return_to: returnTo = defaultReturnTo, state = null, code_challenge: codeChallenge = null } = input
  checkReturnTo(deps.config, returnTo)
  const main = await findAdminServer(deps.db, deps.config.chatGuildId)
  if (!main) throw new ApiError('MAIN_SERVER_MISSING')
  return openAuthRequest(deps, cookieValue, address, {
    projectId: null,
    serverId: main.id,
    redirectUri: commandLineTarget(input) ?? returnTo,
    state,
    codeChallenge,
  })
}

/** Throws VALIDATION_FAILED if a request names more than one destination for its code. */
function checkOneDestination({ return_to, redirect_uri, response_mode }: AdminLogin) {
  const ends = Object.entries({ return_to, redirect_uri, response_mode }).filter(
    ([, value]) => value !== undefined,
  )
  if (ends.length < 2) return
  const names = ends.map(([name]) => name).join(' and ')
  throw invalid(
    ends.map(([name]) => ({
      path: `/${name}`,
      message: `is one of ${names}: send only one`,
      code: 'ONE_END',
    })),
  )
}

/** Throws VALIDATION_FAILED if the address is not a page that may receive an admin code. */
function checkReturnTo(config: Pick<Deps['config'], 'publicUrl'>, returnTo: string) {
  if (isReturnTo(config.publicUrl, returnTo)) return
  throw invalid([
    { path: '/return_to', message: 'must be / or a page of the console, below /console/', code: 'RETURN_TO' },
  ])
}

/** The properties of the new session. */
interface Terms {
  readonly ip: string | null
  readonly userAgent: string | null
  /** The lifetime in seconds. */
  readonly ttlSec: number
  /** The lifetime in seconds that refreshes cannot exceed. */
  readonly maxAgeSec: number
}

/**
 * The presented code, with the values that must match it. The null `projectId` matches only the code of an admin
 * sign-in. A null `redirectUri` matches every redirect URI, and null `browserDigests` every browser.
 */
interface AdminCode {
  readonly code: string
  readonly projectId: null
  readonly redirectUri: null
  readonly codeVerifier: string | undefined
  readonly browserDigests: readonly string[] | null
}

type Redeem = (code: AdminCode, terms: Terms, client: Client) => Promise<Pair & object>

/** The body of a redemption. */
export interface AdminToken {
  readonly code: string
  /** True to set the session in cookies, for the console. */
  readonly cookie?: boolean | undefined
  readonly codeVerifier?: string | undefined
}

/**
 * Redeems the code of an admin sign-in. Refreshes can extend the session to twice `ADMIN_SESSION_TTL_SEC`. For a
 * session in cookies, the code must come from the browser that started the sign-in, so a leaked code is worthless in
 * another browser.
 *
 * @throws INVALID_CODE, CHALLENGE_WITHOUT_VERIFIER, MEMBER_BLOCKED
 */
export async function adminToken(
  { config, redeem }: Pick<Deps, 'config'> & { redeem: Redeem },
  { code, cookie = false, codeVerifier }: AdminToken,
  { browser, client }: { browser: Browser; client: Client },
): Promise<Answer> {
  const secrets = readSecrets(browser.cookie)
  const browserDigests = cookie ? secrets.map(digestOf) : null
  const { ip, userAgent } = browser
  const ttlSec = config.adminSessionTtlSec
  const { token, refreshToken, ...rest } = await redeem(
    { code, projectId: null, redirectUri: null, codeVerifier, browserDigests },
    { ip, userAgent, ttlSec, maxAgeSec: 2 * ttlSec },
    client,
  )
  const pair = { token, refreshToken }
  return respondWithPair(config, cookie ? 'cookie' : 'bearer', pair, { inBody: pair, rest })
}
