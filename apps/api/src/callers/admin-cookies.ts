import { Answer } from '#platform/http/answer'
import { cookie } from '#platform/http/cookies'
import type { Config } from '../config.ts'

/** The cookies of the console, with its session token and its refresh token. */
export const adminCookie = 'svc_admin'
export const adminRefreshCookie = 'svc_admin_refresh'

/** The way in which a client presents a session: with a header, or with the cookie of the console. */
export type Presented = 'bearer' | 'cookie'

/** A session token, and the refresh token with which it is replaced. */
export interface Pair {
  readonly token: string
  readonly refreshToken: string
}

type CookieConfig = Pick<Config, 'publicUrl' | 'adminSessionTtlSec'>

interface HandOver {
  /** The two tokens, under the names that the endpoint defines. */
  readonly inBody: object
  /** The rest of the body, which is the same for both kinds of clients. */
  readonly rest: object
  /** Further cookies to set. */
  readonly cookies?: readonly string[]
}

/**
 * Returns a new pair of tokens the same way as the client presented the old one: in the body, or in cookies that
 * scripts cannot read. Never both: a script on the page can read the body, so the cookies would no longer protect the
 * tokens.
 */
export function respondWithPair(
  config: CookieConfig,
  presented: Presented,
  pair: Pair,
  { inBody, rest, cookies = [] }: HandOver,
): Answer {
  if (presented === 'bearer') return new Answer(200, { ...inBody, ...rest })
  return new Answer(200, rest, { 'set-cookie': [...makeCookies(config, pair), ...cookies] })
}

/** Returns the headers that delete both cookies. */
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
    // Sent only to the endpoints that refresh and end sessions, because no others need it.
    cookie(adminRefreshCookie, refreshToken, { ...options, path: '/api/auth' }),
  ]
}
