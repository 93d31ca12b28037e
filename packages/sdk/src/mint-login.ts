import { toBase64Url } from './base64url.ts'

/** The two secrets of one login. Keep them where only the browser that started it brings them back. */
export interface Login {
  /** Goes to `authorizeUrl()` and comes back in the redirect, unchanged. */
  readonly state: string
  /** Goes to `authorizeUrl()` (which sends only its hash) and to `exchange()`. RFC 7636. */
  readonly codeVerifier: string
}

/**
 * Mints `state` and `codeVerifier` for one login: 256 random bits each.
 *
 * @example
 * const login = mintLogin()
 * const url = await rolecall.authorizeUrl({ ...login, clientId, redirectUri, serverId })
 * // One cookie a login, named by its state: several tabs may log in at once.
 * reply.setCookie(`login_${login.state}`, login.codeVerifier, { httpOnly: true, sameSite: 'lax', maxAge: 600 })
 * reply.redirect(url)
 */
export const mintLogin = (): Login => ({ state: mintSecret(), codeVerifier: mintSecret() })

const mintSecret = () => toBase64Url(crypto.getRandomValues(new Uint8Array(32)))
