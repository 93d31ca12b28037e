import Provider, { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { scopes } from '#responses/oidc-claims'
import type { Deps } from '../../deps.ts'
import { detailsOf } from './client-metadata.ts'
import { findResource } from './clients-store.ts'
import { getResource, needsResource } from './sites.ts'
import { sessionOfToken } from './token-session.ts'
import { orProtocolError } from './unavailable.ts'

type ResourceDeps = Pick<Deps, 'db' | 'config' | 'answers'>

/** The scopes that a token for an API may have: all of them. */
const scope = scopes.join(' ')

/** Returns the library's settings for tokens that are limited to one API (resource indicators, RFC 8707). */
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
    // At the token endpoint, `ownResources` has made the same check before it consumed the code or refresh token.
    if (route !== 'token') await getResource(deps, resource, client)
    return { scope, audience: resource, accessTokenFormat: 'opaque' as const }
  },
})

/**
 * Changes how the library handles resources.
 *
 * - A grant covers the scopes of its sign-in for every resource.
 * - The resource is checked before a code or refresh token is consumed, so that a client that names a wrong resource
 *   does not lose its session. The library would check it afterwards.
 */
export function ownResources(
  { AuthorizationCode, RefreshToken, DeviceCode, Grant }: Provider,
  deps: ResourceDeps,
): void {
  const { getOIDCScope } = Grant.prototype
  // `getOIDCScope` is taken from the prototype, because the library also calls `getResourceScope` on a plain object,
  // which does not have the methods of a grant.
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

/** The fields of an access or refresh token that decide about its introspection. `aud` is its resource. */
interface AnyToken {
  readonly aud?: string | readonly string[] | undefined
  readonly clientId?: string | undefined
  readonly grantId?: string | undefined
}

/**
 * Returns true if a client may introspect a token. A token for a resource may be introspected only by the project that
 * owns the resource, and any other token only by the client that it was issued to. Public clients may not introspect.
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
    // The library does not check that the token's client still exists.
    issuedTo !== undefined &&
    resource?.projectId === client.clientId &&
    // A session of a client with a metadata document belongs to the project whose resource it requested.
    (detailsOf(issuedTo).kind === 'project' || session?.session.projectId === client.clientId) &&
    resource.serverId === session?.session.serverId
  )
}
