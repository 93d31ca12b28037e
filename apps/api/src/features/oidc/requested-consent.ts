import type { Client } from 'oidc-provider'
import { scopes as knownScopes } from '#responses/oidc-claims'
import { detailsOf } from './client-metadata.ts'
import { redirectEntry, resourceEntry } from './consents-store.ts'
import { getResource, type ResourceDeps } from './sites.ts'

/** An API of another project, which a client wants to use on behalf of the member. */
export interface RequestedApi {
  /** The name of the project that owns the API. */
  readonly name: string
  readonly resource: string
}

/** The parts of a sign-in that need the member's consent. */
export interface RequestedConsent {
  /** The scopes. Undefined for an internal project, which needs no consent for the member's data. */
  readonly scopes: readonly string[] | undefined
  readonly api: RequestedApi | undefined
  /**
   * The redirect URI of a client with a metadata document; undefined for a project. The member consents to the address,
   * too, because the document may change, and any program on the machine can listen on a loopback port.
   */
  readonly redirectUri: string | undefined
}

/** The parameters of a sign-in that determine the consent. */
interface RequestedParams {
  readonly scopes: Iterable<string>
  readonly resource: unknown
  readonly redirectUri: unknown
}

/**
 * Returns what the member has to consent to in a sign-in.
 *
 * @throws InvalidTarget if the requested resource is unknown or not permitted
 */
export async function findRequestedConsent(
  deps: ResourceDeps,
  client: Client,
  { scopes, resource, redirectUri }: RequestedParams,
): Promise<RequestedConsent> {
  const api = await findRequestedApi(deps, client, resource)
  const details = detailsOf(client)
  const isInternal = details.kind === 'project' && details.isInternal
  const isProgram = details.kind === 'document' && typeof redirectUri === 'string'
  return {
    scopes: isInternal ? undefined : [...scopes].filter(isAskedFor),
    api,
    redirectUri: isProgram ? redirectUri : undefined,
  }
}

/** Returns true if the consent page lists a scope. It does not list `openid`, which every sign-in includes. */
const isAskedFor = (scope: string) => scope !== 'openid' && knownScopes.includes(scope)

/**
 * Returns the API that the client requests. Returns undefined if it requests none, or its own.
 *
 * Internal projects need consent for an API, too. Anyone can start a sign-in of a public client, so a sign-in alone
 * does not show that the member wants the client to use the API.
 *
 * @throws InvalidTarget if the resource is unknown or not permitted
 */
export async function findRequestedApi(
  deps: ResourceDeps,
  client: Client,
  resource: unknown,
): Promise<RequestedApi | undefined> {
  if (typeof resource !== 'string' || resource === '') return undefined
  const { projectId, name } = await getResource(deps, resource, client)
  return projectId === client.clientId ? undefined : { name, resource }
}

/** Returns true if a stored consent covers a sign-in. `agreed` are its entries, or undefined without a consent. */
export const isCovered = (agreed: readonly string[] | undefined, requested: RequestedConsent): boolean =>
  agreed !== undefined && consentEntries(requested).every((entry) => agreed.includes(entry))

/** Returns true if a sign-in needs the member's consent. */
export const needsConsent = ({ scopes, api }: RequestedConsent): boolean =>
  scopes !== undefined || api !== undefined

/** Returns the entries that the stored consent of the member for this client must contain. */
export const consentEntries = ({ scopes = [], api, redirectUri }: RequestedConsent): string[] => [
  ...scopes,
  ...(api ? [resourceEntry(api.resource)] : []),
  ...(redirectUri === undefined ? [] : [redirectEntry(redirectUri)]),
]
