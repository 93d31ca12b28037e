import { toBase64Url } from './base64url.ts'

/**
 * The two secrets of one sign-in. Store them where only the browser that started it can return them, e.g. in a cookie.
 */
export interface Login {
  /** Pass it to `authorizeUrl()`. Check that the redirect contains the same value. */
  readonly state: string
  /**
   * The PKCE verifier (RFC 7636). Pass it to `authorizeUrl()`, which sends only its hash, and later to `exchange()`.
   */
  readonly codeVerifier: string
}

/**
 * Creates `state` and `codeVerifier` for one sign-in: 256 random bits each.
 *
 * @example
 * const login = mintLogin()
 * const url = await rolecall.authorizeUrl({ ...login, clientId, redirectUri, serverId })
 * // One cookie per sign-in, named after its state, because several tabs may sign in at once.
 * reply.setCookie(`login_${login.state}`, login.codeVerifier, { httpOnly: true, sameSite: 'lax', maxAge: 600 })
 * reply.redirect(url)
 */
export const mintLogin = (): Login => ({ state: mintSecret(), codeVerifier: mintSecret() })

const mintSecret = () => toBase64Url(crypto.getRandomValues(new Uint8Array(32)))
