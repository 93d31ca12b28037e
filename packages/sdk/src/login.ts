import { toBase64Url } from './base64url.ts'
import { requiredText } from './required.ts'

/** The two tokens of a session. Store them on your server, and replace both after a refresh. */
export interface Pair {
  /** Session token, `rcs_…`. Pass it to `validate()`. */
  readonly token: string
  /** Refresh token. Valid for one `refresh()`. */
  readonly refreshToken: string
}

/** Options of `authorizeUrl()`. */
export interface Authorize {
  /** The project's ID. */
  readonly clientId: string
  /** One of the project's redirect URIs, byte for byte. */
  readonly redirectUri: string
  /** ID of the Discord server. Only its members may sign in. */
  readonly serverId: string
  /** Returned unchanged in the redirect; see `mintLogin()`. */
  readonly state: string
  /** Binds the code to this secret (PKCE). `exchange()` then needs it, too. */
  readonly codeVerifier?: string
  /** Skips the chat platform's screen for a browser that has signed in before. */
  readonly sso?: boolean
  /** Languages for the pages of the service, in order of preference: BCP 47 tags, separated by spaces. */
  readonly uiLocales?: string
}

/** Options of `exchange()`. */
export interface Exchange {
  /** The project's ID. */
  readonly clientId: string
  /** The code from the query of the redirect. Valid once, for 60 seconds. */
  readonly code: string
  /** The same as in `authorizeUrl()`. */
  readonly redirectUri: string
  /** Required if `authorizeUrl()` had one. */
  readonly codeVerifier?: string
  /** The browser on behalf of which you call. It is shown in the member's list of sessions. */
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

/** Returns the challenge of a verifier by the method S256 (RFC 7636 §4.2). */
async function challengeOf(codeVerifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  return toBase64Url(new Uint8Array(digest))
}
