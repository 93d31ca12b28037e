import { toBase64Url } from './base64url.ts'
import { requiredText } from './required.ts'

/** The two tokens of a session. Keep them on your server, and replace both after a refresh. */
export interface Pair {
  /** Session token, `rcs_…`. Pass it to `validate()`. */
  readonly token: string
  /** Refresh token. Valid for one call of `refresh()`. */
  readonly refreshToken: string
}

/** Options of `authorizeUrl()`. */
export interface Authorize {
  /** The project's ID. */
  readonly clientId: string
  /** One of the project's redirect URIs. It must be identical, including the case and a trailing slash. */
  readonly redirectUri: string
  /** ID of the Discord server. Only its members may sign in. */
  readonly serverId: string
  /** A random text that the redirect returns unchanged. Get it from `mintLogin()`. */
  readonly state: string
  /** Binds the code to this secret (PKCE). Pass the same secret to `exchange()`. Get it from `mintLogin()`. */
  readonly codeVerifier?: string
  /** Skips Discord's consent screen in a browser that has signed in before. Default false. */
  readonly sso?: boolean
  /** Languages for the service's pages, in order of preference: BCP 47 tags, separated by spaces. */
  readonly uiLocales?: string
}

/** Options of `exchange()`. */
export interface Exchange {
  /** The project's ID. */
  readonly clientId: string
  /** The code from the query of the redirect. Valid once, for 60 seconds. */
  readonly code: string
  /** The same redirect URI as in `authorizeUrl()`. */
  readonly redirectUri: string
  /** Required if `authorizeUrl()` had one. */
  readonly codeVerifier?: string
  /** The browser that signs in. The member sees its IP address and user agent in the list of sessions. */
  readonly client?: { readonly ip?: string | undefined; readonly userAgent?: string | undefined }
}

/** Returns the URL at which a sign-in starts. */
export async function authorizeUrl(
  baseUrl: string,
  { clientId, redirectUri, serverId, state, codeVerifier, sso, uiLocales }: Authorize,
): Promise<string> {
  requiredText({ clientId, redirectUri, serverId, state })
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    server_id: serverId,
    state,
  })
  if (uiLocales !== undefined) query.set('ui_locales', uiLocales)
  if (codeVerifier !== undefined) {
    query.set('code_challenge', await challengeOf(codeVerifier))
    query.set('code_challenge_method', 'S256')
  }
  return `${baseUrl}/api/auth/${sso ? 'sso/' : ''}authorize?${query}`
}

/** Returns the PKCE challenge for a verifier, by the method S256 (RFC 7636 §4.2). */
async function challengeOf(codeVerifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  return toBase64Url(new Uint8Array(digest))
}
