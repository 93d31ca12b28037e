import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'

/**
 * Returns a verifier that asks Rolecall about each access token. So a kick or a changed role has an effect at once.
 *
 * @param {{ rolecallUrl: string, projectId: string, apiKey: string, resource: string }} settings
 */
export const createVerifier = ({ rolecallUrl, projectId, apiKey, resource }) => ({
  async verifyAccessToken(token) {
    const response = await fetch(`${rolecallUrl}/oidc/introspect`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${projectId}:${apiKey}`).toString('base64')}` },
      body: new URLSearchParams({ token }),
      signal: AbortSignal.timeout(10_000),
    })
    // An outage must not look like an invalid token. With this error, the SDK responds with 500, and the client keeps
    // its token.
    if (!response.ok) throw new Error(`Rolecall answered ${response.status} to an introspection.`)
    const answer = await response.json()
    // Rejects a token without a resource, or for another one. It is not meant for this server.
    if (!answer.active || answer.aud !== resource) throw new InvalidTokenError('The token is not valid here')
    return {
      ...{ token, clientId: answer.client_id, scopes: answer.scope.split(' '), expiresAt: answer.exp },
      resource: new URL(resource),
      extra: { memberId: answer.sub, username: answer.username, roleIds: answer.role_ids ?? [] },
    }
  },
})
