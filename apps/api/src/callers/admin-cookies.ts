import { Answer } from '#platform/http/answer'
import { cookie } from '#platform/http/cookies'
import type { Config } from '../config.ts'

/** The console's cookies: its session token, and its refresh token. */
export const adminCookie = 'svc_admin'
export const adminRefreshCookie = 'svc_admin_refresh'

/** The way in which a caller presents a session: in a header, or by the console's cookie. */
export type Presented = 'bearer' | 'cookie'

export interface Pair {
  readonly token: string
  readonly refreshToken: string
}

type CookieConfig = Pick<Config, 'publicUrl' | 'adminSessionTtlSec'>

interface HandOver {
  /** The pair under the names that the endpoint gives to it. */
  readonly inBody: object
  /** The response that both kinds of callers receive. */
  readonly rest: object
  /** Other cookies to set. */
  readonly cookies?: readonly string[]
}

/**
 * Returns a pair in the body, or in cookies that no script can read. Never both: every script of a page can read
 * the body, and the cookie would then protect nothing.
 */
export function answerWithPair(
  config: CookieConfig,
  presented: Presented,
  pair: Pair,
  { inBody, rest, cookies = [] }: HandOver,
): Answer {
  if (presented === 'bearer') return new Answer(200, { ...inBody, ...rest })
  return new Answer(200, rest, { 'set-cookie': [...makeCookies(config, pair), ...cookies] })
}

/** Returns the cookies that delete both. */
export const deletedAdminCookies = (config: CookieConfig) =>
  makeCookies(config, { token: '', refreshToken: '' })

const makeCookies = ({ publicUrl, adminSessionTtlSec }: CookieConfig, { token, refreshToken }: Pair) => {
  const options = {
    maxAgeSec: token === '' ? 0 : adminSessionTtlSec,
    sameSite: 'strict' as const,
    secure: publicUrl.startsWith('https:'),
  }
  return [
    cookie(adminCookie, token, { ...options, path: '/api' }),
    // Sent only to the endpoints that refresh and end sessions: no other endpoint needs it.
    cookie(adminRefreshCookie, refreshToken, { ...options, path: '/api/auth' }),
  ]
}
