import { type Client, errors } from 'oidc-provider'
import type { Queryable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { detailsOf } from './client-metadata.ts'
import { findResource, type ResourceRow } from './clients-store.ts'
import { orProtocolError } from './unavailable.ts'

export type ResourceDeps = Pick<Deps, 'config'> & { readonly db: Queryable }

/** The project whose sessions a client gets. */
export interface Site {
  readonly projectId: string
  readonly serverId: string
  /** The address of the metadata document that describes the client; null if the client is the project itself. */
  readonly clientId: string | null
}

/**
 * Returns the project that a client signs members in for: itself, or for a client with a metadata document the project of
 * the resource that it requests.
 * @throws InvalidTarget
 */
export async function siteOf(deps: ResourceDeps, client: Client, resource: unknown): Promise<Site> {
  const { clientId } = client
  const details = detailsOf(client)
  if (details.kind === 'project') return { projectId: clientId, serverId: details.serverId, clientId: null }
  if (typeof resource !== 'string') throw new errors.InvalidTarget(needsResource)
  const { projectId, serverId } = await getResource(deps, resource, client)
  return { projectId, serverId, clientId }
}

/** The description of the error for a client with a metadata document that names no API. */
export const needsResource = 'a client with a metadata document must name an API as resource'

/**
 * Returns the project of a resource that tokens of a client may be for.
 *
 * - A project must answer for the server of the client: roles of another server mean nothing there, even if they have the
 *   same names.
 * - A client with a metadata document must be on a host that the project lists.
 *
 * @throws InvalidTarget
 */
export async function getResource(
  { db, config }: ResourceDeps,
  resource: string,
  client: Client,
): Promise<ResourceRow> {
  const found = isStorable(resource)
    ? await orProtocolError(findResource(db, resource, config.chatGuildId))
    : undefined
  const details = detailsOf(client)
  const isAllowed =
    details.kind === 'document'
      ? found?.clientHosts.includes(details.name)
      : found?.serverId === details.serverId
  if (found && isAllowed) return found
  throw new errors.InvalidTarget(
    found && details.kind === 'document'
      ? `the project of this resource does not list the host ${details.name} in oidc.clientHosts`
      : undefined,
  )
}

const isStorable = (resource: string) => /^[\x21-\x7e]{1,512}$/.test(resource)
