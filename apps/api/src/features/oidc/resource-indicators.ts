import Provider, { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { scopes } from '#responses/oidc-claims'
import type { Deps } from '../../deps.ts'
import { detailsOf } from './client-metadata.ts'
import { findResource } from './clients-store.ts'
import { getResource, needsResource } from './sites.ts'
import { sessionOfToken } from './token-session.ts'
import { orProtocolError } from './unavailable.ts'

type ResourceDeps = Pick<Deps, 'db' | 'config' | 'answers'>

/** Allows a token every scope, whichever resource it is for. */
const scope = scopes.join(' ')

/** Returns the settings of the library for tokens that are for one API (RFC 8707). */
export const resourceIndicators = (deps: ResourceDeps) => ({
  enabled: true,
  useGrantedResource: () => true,
  defaultResource({ oidc }: KoaContextWithOIDC, client: Client) {
    const isNew = oidc.route !== 'token' && detailsOf(client).kind === 'document'
    if (isNew) throw new errors.InvalidTarget(needsResource)
    return undefined
  },
  async getResourceServerInfo({ oidc }: KoaContextWithOIDC, resource: string, client: Client) {
    const { route, params } = oidc
    if (Array.isArray(params?.['resource']))
      throw new errors.InvalidTarget('only one resource can be requested')
    // At the token endpoint the code or refresh token is consumed by now, after the same check.
    if (route !== 'token') await getResource(deps, resource, client)
    return { scope, audience: resource, accessTokenFormat: 'opaque' as const }
  },
})

/**
 * Makes the library use resources as the service needs it.
 *
 * - A grant covers the scopes of its login, for every resource.
 * - A code or refresh token is consumed only after its resource was checked, so that a client which names a wrong one does
 *   not lose its session. The library checks after that.
 */
export function ownResources(
  { AuthorizationCode, RefreshToken, DeviceCode, Grant }: Provider,
  deps: ResourceDeps,
): void {
  const { getOIDCScope } = Grant.prototype
  // The library also calls it for the rejected part of a grant, which is a plain object.
  Grant.prototype.getResourceScope = function getResourceScope(this: typeof Grant.prototype) {
    return getOIDCScope.call(this)
  }
  for (const { prototype } of [AuthorizationCode, RefreshToken, DeviceCode]) {
    const theirs = prototype.consume
    prototype.consume = async function consume(this: typeof prototype) {
      const { client, params } = Provider.ctx?.oidc ?? {}
      const resource: unknown = params?.['resource'] ?? this.resource
      if (client && resource !== undefined) {
        if (typeof resource !== 'string' || resource !== this.resource) throw new errors.InvalidTarget()
        await getResource(deps, resource, client)
      }
      return theirs.call(this)
    }
  }
}

interface AnyToken {
  readonly aud?: string | readonly string[] | undefined
  readonly clientId?: string | undefined
  readonly grantId?: string | undefined
}

/**
 * Returns whether a client may introspect a token: one for a resource only as the project of that resource, and others
 * only as the client that they were issued to.
 */
export async function mayIntrospect(
  deps: ResourceDeps,
  { oidc }: KoaContextWithOIDC,
  client: Client,
  token: AnyToken,
): Promise<boolean> {
  const { aud, clientId = '', grantId = '' } = token
  if (client.tokenEndpointAuthMethod === 'none') return false
  if (aud === undefined) return clientId === client.clientId
  const [session, resource, issuedTo] = await orProtocolError(
    Promise.all([
      sessionOfToken(deps, grantId),
      findResource(deps.db, String(aud), deps.config.chatGuildId),
      oidc.provider.Client.find(clientId),
    ]),
  )
  return (
    // The library assumes that the project is still a client.
    issuedTo !== undefined &&
    resource?.projectId === client.clientId &&
    // The project decides about clients with metadata documents for its own sessions.
    (detailsOf(issuedTo).kind === 'project' || session?.session.projectId === client.clientId) &&
    resource.serverId === session?.session.serverId
  )
}
