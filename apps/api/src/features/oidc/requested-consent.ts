import { type Client, errors } from 'oidc-provider'
import { scopes as knownScopes } from '#responses/oidc-claims'
import type { Deps } from '../../deps.ts'
import { detailsOf } from './client-metadata.ts'
import { findResource } from './clients-store.ts'
import { resourceEntry } from './consents-store.ts'
import { orProtocolError } from './unavailable.ts'

type ResourceDeps = Pick<Deps, 'db' | 'config'>

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
}

/**
 * Returns what a login needs consent for.
 * @throws InvalidTarget
 */
export async function findRequestedConsent(
  deps: ResourceDeps,
  client: Client,
  { scopes, resource }: { readonly scopes: Iterable<string>; readonly resource: unknown },
): Promise<RequestedConsent> {
  const api = await findRequestedApi(deps, client, resource)
  return { scopes: detailsOf(client).isInternal ? undefined : [...scopes].filter(isAskedFor), api }
}

/** The account itself, `openid`, is always included. */
const isAskedFor = (scope: string) => scope !== 'openid' && knownScopes.includes(scope)

/**
 * Returns the API that a login is for; undefined if there is none, or if it belongs to the client itself.
 *
 * An internal project needs consent for it too. Anyone can start a login of a public client, so its registration does not
 * show that the member wants it to use that API.
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
export const consentEntries = ({ scopes = [], api }: RequestedConsent): string[] => [
  ...scopes,
  ...(api ? [resourceEntry(api.resource)] : []),
]

/**
 * Returns the project of a resource that tokens of a client may be for. That project must answer for the server of the
 * client: roles of another server mean nothing there, even if they have the same names.
 * @throws InvalidTarget
 */
export async function getResource({ db, config }: ResourceDeps, resource: string, client: Client) {
  const found = isStorable(resource)
    ? await orProtocolError(findResource(db, resource, config.chatGuildId))
    : undefined
  if (found?.serverId !== detailsOf(client).serverId) throw new errors.InvalidTarget()
  return found
}

const isStorable = (resource: string) => /^[\x21-\x7e]{1,512}$/.test(resource)
