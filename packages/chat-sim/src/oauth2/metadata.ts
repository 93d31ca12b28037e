import { json } from '../http/call.ts'
import type { Route } from '../http/route.ts'
import type { Platform } from '../platform.ts'

function document({ options: { issuer } }: Platform) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/api/oauth2/authorize`,
    token_endpoint: `${issuer}/api/oauth2/token`,
    revocation_endpoint: `${issuer}/api/oauth2/token/revoke`,
    userinfo_endpoint: `${issuer}/api/oauth2/userinfo`,
    jwks_uri: `${issuer}/api/oauth2/keys`,
    scopes_supported: ['openid', 'identify', 'email', 'guilds', 'guilds.members.read'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }
}

const metadataRoute = (path: string): Route => ({
  name: 'metadata',
  method: 'GET',
  path,
  at: 'root',
  auth: 'none',
  handle: (platform) => json(document(platform)),
})

export const authorizationServer = metadataRoute('/.well-known/oauth-authorization-server')
export const openidConfiguration = metadataRoute('/.well-known/openid-configuration')
