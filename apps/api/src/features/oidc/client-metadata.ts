import type { AdapterPayload, Client } from 'oidc-provider'
import { isLoopbackHost } from '#platform/loopback'
import { parseUrl } from '#platform/parse-url'
import { firstFailed } from '../../checks/check.ts'
import { clientChecks } from './checks.ts'
import type { ClientRow } from './clients-store.ts'

/** The grant type of devices without a browser (RFC 8628). */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** The details of a client that the service needs, and the protocol library does not use. */
export type ClientDetails = ProjectDetails | DocumentDetails

/** The details of a client that is a project. */
interface ProjectDetails {
  readonly kind: 'project'
  /** The name of the project. */
  readonly name: string
  readonly serverId: string
  readonly isInternal: boolean
  readonly rolesInIdToken: boolean
  readonly keyDigests: readonly string[]
}

/**
 * The details of a client that a metadata document describes. It has no project of its own: each sign-in belongs to the
 * project of the resource that the client requests.
 */
interface DocumentDetails {
  readonly kind: 'document'
  /**
   * The host of the document, which the pages show. They never show the name in the document, which could be any name.
   */
  readonly name: string
  readonly rolesInIdToken: false
  readonly keyDigests: readonly []
}

/** The property of the library's client that contains the details. */
export const detailsProperty = 'rolecall'

/** Returns the details of a client from `metadataOf` or `metadataOfDocument`. */
export const detailsOf = (client: Client): ClientDetails => client[detailsProperty] as ClientDetails

/** Returns the project of a client. Undefined for a client that a metadata document describes. */
export const projectIdOf = (client: Client): string | undefined =>
  detailsOf(client).kind === 'project' ? client.clientId : undefined

/** A placeholder for the secret that the library requires. It is never compared: the service compares the API keys. */
const noSecret = 'the keys of a project are compared by their digests'

/** Converts a project to a client of the library. Returns undefined if the project fails one of `clientChecks`. */
export function metadataOf(row: ClientRow): AdapterPayload | undefined {
  const { name, serverId, isInternal, isPublic, rolesInIdToken, keyDigests, deviceFlow } = row
  if (serverId === null || firstFailed(clientChecks, row)) return undefined
  const { redirectUris, applicationType } = redirectsOf(row.redirectUris)
  const details: ClientDetails = {
    kind: 'project',
    ...{ name, serverId, isInternal, rolesInIdToken, keyDigests },
  }
  return {
    client_id: row.projectId,
    client_name: name,
    application_type: applicationType,
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

/**
 * Converts a metadata document to a client of the library. Uses only the document's address and redirect URIs: its
 * other fields could set details that only the service may set, or addresses to which the library would connect.
 */
export function metadataOfDocument(id: string, uris: readonly string[]): AdapterPayload {
  const { redirectUris, applicationType } = redirectsOf(uris)
  const name = new URL(id).host
  const details: ClientDetails = { kind: 'document', name, rolesInIdToken: false, keyDigests: [] }
  return {
    client_id: id,
    client_name: name,
    application_type: applicationType,
    redirect_uris: redirectUris,
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    [detailsProperty]: details,
  }
}

/** Returns the redirect URIs that the library accepts together, and the type of application that they imply. */
function redirectsOf(uris: readonly string[]) {
  const isNative = uris.some((uri) => !/^https?:/i.test(uri))
  return {
    redirectUris: uris.filter((uri) => !isNative || !isSecureLoopback(uri)),
    applicationType: isNative ? ('native' as const) : ('web' as const),
  }
}

/** Returns true for `https` at a loopback address. The library rejects this together with a private-use scheme. */
function isSecureLoopback(uri: string): boolean {
  const url = parseUrl(uri)
  return url?.protocol === 'https:' && isLoopbackHost(url.hostname)
}
