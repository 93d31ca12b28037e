import type { ProblemDetail } from '@rolecall/contract'
import type { Tx } from '#platform/db/database'
import { parseUrl } from '#platform/parse-url'
import { refuseTaken } from '../../checks/refuse-taken.ts'
import { deleteResources, insertResources } from './oidc-store.ts'

/** Matches an absolute URI without a fragment (RFC 3986). */
const absoluteUri = /^[a-z][a-z0-9+.-]*:[a-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/i

/** Returns the problems of a project's resources, which are the URIs of its APIs (RFC 8707 §2). */
export const complaintsAboutResources = (resources: readonly string[] = []): ProblemDetail[] =>
  resources.flatMap((text, i) => {
    const url = absoluteUri.test(text) ? parseUrl(text) : undefined
    if (url && !url.username && !url.password) return []
    const message = 'must be an absolute URI without user name and fragment, like https://api.example/mcp'
    return [{ path: `/oidc/resources/${i}`, message, code: 'RESOURCE' }]
  })

/**
 * Replaces the resources of a project. Takes over resources of a deleted project.
 *
 * @throws RESOURCE_TAKEN if another project has one of them
 */
export const setResources = (tx: Tx, projectId: string, resources: readonly string[]): Promise<void> =>
  refuseTaken(
    {
      index: 'oidc_resources_pkey',
      code: 'RESOURCE_TAKEN',
      path: '/oidc/resources',
      message: 'includes a resource that another project already has. Remove it here or from that project',
    },
    async () => {
      await deleteResources(tx, projectId, resources)
      await insertResources(tx, projectId, resources)
    },
  )
