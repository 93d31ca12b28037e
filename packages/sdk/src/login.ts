import { toBase64Url } from './base64url.ts'
import { requiredText } from './required.ts'

/** What a session consists of. Keep it on your server, and replace both after a refresh. */
export interface Pair {
  readonly token: string
  readonly refreshToken: string
}

export interface Authorize {
  /** The project's id. */
  readonly clientId: string
  /** One of the project's redirect URIs, byte for byte. */
  readonly redirectUri: string
  /** The chat server whose members may log in. */
  readonly serverId: string
  /** Comes back unchanged; see `mintLogin()`. */
  readonly state: string
  /** Binds the code to whoever holds this (PKCE); `exchange()` then needs it too. */
  readonly codeVerifier?: string
  /** Skip the chat platform's screen for a browser that logged in before. */
  readonly sso?: boolean
}

export interface Exchange {
  readonly clientId: string
  /** From the redirect's query. Good once, for 60 seconds. */
  readonly code: string
  /** The same as in `authorizeUrl()`. */
  readonly redirectUri: string
  /** Needed when `authorizeUrl()` had one. */
  readonly codeVerifier?: string
  /** The browser you act for; shown in its member's list of sessions. */
  readonly client?: { readonly ip?: string | undefined; readonly userAgent?: string | undefined }
}

/** The address that a login begins at. */
export async function authorizeUrl(
  baseUrl: string,
  { clientId, redirectUri, serverId, state, codeVerifier, sso }: Authorize,
): Promise<string> {
  requiredText({ clientId, redirectUri, serverId, state })
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    server_id: serverId,
    state,
  })
  if (codeVerifier !== undefined) {
    query.set('code_challenge', await challengeOf(codeVerifier))
    query.set('code_challenge_method', 'S256')
  }
  return `${baseUrl}/api/auth/${sso ? 'sso/' : ''}authorize?${query}`
}

/** RFC 7636 §4.2, S256. */
async function challengeOf(codeVerifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  return toBase64Url(new Uint8Array(digest))
}
