import type { Client } from 'oidc-provider'
import { scopes as knownScopes } from '#responses/oidc-claims'
import { detailsOf } from './client-metadata.ts'
import { redirectEntry, resourceEntry } from './consents-store.ts'
import { getResource, type ResourceDeps } from './sites.ts'

/** An API of another project, which a client wants to use as the member. */
export interface RequestedApi {
  /** The name of its project. */
  readonly name: string
  readonly resource: string
}

/** The parts of a login that need the consent of the member. */
export interface RequestedConsent {
  /** The scopes; undefined for an internal project, which needs no consent for the claims that it receives itself. */
  readonly scopes: readonly string[] | undefined
  readonly api: RequestedApi | undefined
  /**
   * The redirect URI of a program with a metadata document; undefined for a project. Any program of the machine can
   * listen on a loopback port, and the document may change, so the member consents to the address too.
   */
  readonly redirectUri: string | undefined
}

/** The parameters of a login that decide about its consent. */
interface RequestedParams {
  readonly scopes: Iterable<string>
  readonly resource: unknown
  readonly redirectUri: unknown
}

/**
 * Returns what a login needs consent for.
 * @throws InvalidTarget
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

/** The account itself, `openid`, is always included. */
const isAskedFor = (scope: string) => scope !== 'openid' && knownScopes.includes(scope)

/**
 * Returns the API that a sign-in is for. Undefined without an API, or if the API belongs to the client itself.
 *
 * An internal project needs consent for it too. Anyone can start a login of a public client, so its registration does
 * not show that the member wants it to use that API.
 *
 * @throws InvalidTarget
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

export const needsConsent = ({ scopes, api }: RequestedConsent): boolean =>
  scopes !== undefined || api !== undefined

/** Returns the entries that a consent must have. A member agrees to an API for each client on its own. */
export const consentEntries = ({ scopes = [], api, redirectUri }: RequestedConsent): string[] => [
  ...scopes,
  ...(api ? [resourceEntry(api.resource)] : []),
  ...(redirectUri === undefined ? [] : [redirectEntry(redirectUri)]),
]
