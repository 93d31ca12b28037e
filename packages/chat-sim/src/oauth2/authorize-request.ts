import type { Call } from '../http/call.ts'
import type { SimApplication } from '../world/model.ts'

/** A valid authorize request. */
export interface AuthorizeRequest {
  scopes: string[]
  /** The address to which the browser returns. */
  redirectUri: string
  /** The redirect URI of the request, if it had one. The exchange of the code must then send the same. */
  namedRedirectUri: string | undefined
  state: string | undefined
  prompt: 'consent' | 'none'
  challenge: string | undefined
  challengeMethod: string | undefined
  nonce: string | undefined
}

const knownScopes = new Set([
  'identify',
  'email',
  'openid',
  'guilds',
  'guilds.join',
  'guilds.members.read',
  'connections',
  'role_connections.write',
  'bot',
  'applications.commands',
  'webhook.incoming',
])

/** Reads an authorize request. Returns its problem as one sentence if it is not valid. A page shows that sentence. */
export function readAuthorizeRequest(
  app: SimApplication,
  { query }: Pick<Call, 'query'>,
): AuthorizeRequest | string {
  const optional = (name: string) => query.get(name) ?? undefined
  if (query.get('client_id') !== app.clientId)
    return 'Unknown application: there is none with this client_id.'
  const namedRedirectUri = optional('redirect_uri')
  const redirectUri = namedRedirectUri ?? app.redirectUris[0]
  if (redirectUri === undefined || !app.redirectUris.includes(redirectUri)) {
    return 'Invalid OAuth2 redirect_uri: it does not match a registered URI of this application, byte for byte.'
  }
  if (query.get('response_type') !== 'code') return 'Unsupported response_type: only "code" is.'
  const scopes = [...new Set((query.get('scope') ?? '').split(' ').filter(Boolean))]
  if (scopes.length === 0) return 'Missing scope.'
  const unknown = scopes.find((scope) => !knownScopes.has(scope))
  if (unknown !== undefined) return `Invalid scope: "${unknown}" is not a scope of Discord.`

  return {
    scopes,
    redirectUri,
    namedRedirectUri,
    state: optional('state'),
    prompt: query.get('prompt') === 'none' ? 'none' : 'consent',
    challenge: optional('code_challenge'),
    challengeMethod: optional('code_challenge_method'),
    nonce: optional('nonce'),
  }
}
