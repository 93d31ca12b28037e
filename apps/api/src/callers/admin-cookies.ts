import { Answer } from '#platform/http/answer'
import { cookie } from '#platform/http/cookies'
import type { Config } from '../config.ts'

/** The console's cookies: its session token, and what replaces it. */
export const adminCookie = 'svc_admin'
export const adminRefreshCookie = 'svc_admin_refresh'

/** How a caller presents a session: in a header, or by the console's cookie. */
export type Presented = 'bearer' | 'cookie'

export interface Pair {
  readonly token: string
  readonly refreshToken: string
}

type CookieConfig = Pick<Config, 'publicUrl' | 'adminSessionTtlSec'>

interface HandOver {
  /** The pair by the names that the endpoint has for it. */
  readonly inBody: object
  /** What everybody is told. */
  readonly rest: object
  /** Other cookies that go along. */
  readonly cookies?: readonly string[]
}

/**
 * Hands over a pair: in the body, or in cookies that no script reads. Both never: what is in the body of a page
 * is any script's of that page, and then the cookie would protect nothing.
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

/** The cookies that delete both. */
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
    // Only where sessions are refreshed and ended: no other endpoint needs it.
    cookie(adminRefreshCookie, refreshToken, { ...options, path: '/api/auth' }),
  ]
}
