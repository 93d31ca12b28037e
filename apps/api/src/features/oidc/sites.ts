import { type Client, errors } from 'oidc-provider'
import type { Queryable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { detailsOf } from './client-metadata.ts'
import { findResource, type ResourceRow } from './clients-store.ts'
import { orProtocolError } from './unavailable.ts'

export type ResourceDeps = Pick<Deps, 'config'> & { readonly db: Queryable }

/** The project and the server in which a client's sign-in creates a session. */
export interface Site {
  readonly projectId: string
  readonly serverId: string
  /** The address of the metadata document that describes the client; null if the client is the project itself. */
  readonly clientId: string | null
}

/**
 * Returns the project in which a client's sign-in creates a session. If the client is a project, it is that project.
 * For a client with a metadata document, it is the project of the requested resource.
 *
 * @throws InvalidTarget if the resource is missing, unknown, or not permitted
 */
export async function siteOf(deps: ResourceDeps, client: Client, resource: unknown): Promise<Site> {
  const { clientId } = client
  const details = detailsOf(client)
  if (details.kind === 'project') return { projectId: clientId, serverId: details.serverId, clientId: null }
  if (typeof resource !== 'string') throw new errors.InvalidTarget(needsResource)
  const { projectId, serverId } = await getResource(deps, resource, client)
  return { projectId, serverId, clientId }
}

/** The error description for a client with a metadata document that requests no resource. */
export const needsResource = 'a client with a metadata document must name an API as resource'

/**
 * Returns the project that owns a resource, if the client may request tokens for it.
 *
 * - If the client is a project, both projects must use the same server: the roles of one server mean nothing in
 *   another.
 * - If a metadata document describes the client, the owner of the resource must list the document's host.
 *
 * @throws InvalidTarget otherwise
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

/** Returns true for text that can be a stored resource, so that other text causes no query. */
const isStorable = (resource: string) => /^[\x21-\x7e]{1,512}$/.test(resource)
