import type { AdapterPayload, Client } from 'oidc-provider'
import { isLoopbackHost } from '#platform/loopback'
import { parseUrl } from '#platform/parse-url'
import { firstFailed } from '../../checks/check.ts'
import { clientChecks } from './checks.ts'
import type { ClientRow } from './clients-store.ts'

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** The details of a client that only the service uses, and not the library. */
export interface ClientDetails {
  /** The name of the project. */
  readonly name: string
  readonly serverId: string
  readonly isInternal: boolean
  readonly rolesInIdToken: boolean
  readonly keyDigests: readonly string[]
}

/** The name of the property in which the library carries them. */
export const detailsProperty = 'rolecall'

/** Returns the details of a client that `metadataOf` created. */
export const detailsOf = (client: Client): ClientDetails => client[detailsProperty] as ClientDetails

/** A placeholder for the secret that the library requires. It belongs to no client, and is never compared. */
const noSecret = 'the keys of a project are compared by their digests'

/** Returns a project as a client of the library; undefined if it could not authenticate or has no server. */
export function metadataOf(row: ClientRow): AdapterPayload | undefined {
  const { name, serverId, isInternal, isPublic, rolesInIdToken, keyDigests, deviceFlow } = row
  if (serverId === null || firstFailed(clientChecks, row)) return undefined
  const isNative = row.redirectUris.some((uri) => !/^https?:/i.test(uri))
  const redirectUris = row.redirectUris.filter((uri) => !isNative || !isSecureLoopback(uri))
  const details: ClientDetails = { name, serverId, isInternal, rolesInIdToken, keyDigests }
  return {
    client_id: row.projectId,
    client_name: name,
    application_type: isNative ? 'native' : 'web',
    redirect_uris: redirectUris,
    response_types: redirectUris.length > 0 ? ['code'] : [],
    grant_types: [
      ...(redirectUris.length > 0 ? ['authorization_code'] : []),
      'refresh_token',
      ...(deviceFlow ? [deviceGrant] : []),
    ],
    post_logout_redirect_uris: row.postLogoutRedirectUris,
    ...(isPublic
      ? { token_endpoint_auth_method: 'none' }
      : { token_endpoint_auth_method: 'client_secret_basic', client_secret: noSecret }),
    ...(row.backchannelLogoutUri !== null && {
      backchannel_logout_uri: row.backchannelLogoutUri,
      backchannel_logout_session_required: true,
    }),
    [detailsProperty]: details,
  }
}

/** Returns true for https at a loopback address. The library rejects a client with both this and a private-use scheme. */
function isSecureLoopback(uri: string): boolean {
  const url = parseUrl(uri)
  return url?.protocol === 'https:' && isLoopbackHost(url.hostname)
}
