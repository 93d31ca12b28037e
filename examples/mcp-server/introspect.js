import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'

/**
 * Returns a verifier of access tokens that asks Rolecall about each one, so a kick or a changed role counts at once.
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
    // An outage is not a refusal: the SDK answers 500, and the client keeps its token.
    if (!response.ok) throw new Error(`Rolecall answered ${response.status} to an introspection.`)
    const answer = await response.json()
    // A token without a resource, or for another one, is not meant for this server.
    if (!answer.active || answer.aud !== resource) throw new InvalidTokenError('The token is not valid here')
    return {
      ...{ token, clientId: answer.client_id, scopes: answer.scope.split(' '), expiresAt: answer.exp },
      resource: new URL(resource),
      extra: { memberId: answer.sub, username: answer.username, roleIds: answer.role_ids ?? [] },
    }
  },
})
