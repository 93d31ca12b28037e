import type { ProblemDetail } from '@rolecall/contract'
import { type Tx, violates } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import { parseUrl } from '#platform/parse-url'
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
export async function setResources(tx: Tx, projectId: string, resources: readonly string[]): Promise<void> {
  try {
    await deleteResources(tx, projectId, resources)
    await insertResources(tx, projectId, resources)
  } catch (error) {
    if (!violates(error, 'oidc_resources_pkey')) throw error
    const message =
      'includes a resource that another project already has. Remove it here or from that project'
    const problem = { path: '/oidc/resources', message, code: 'TAKEN' }
    throw new ApiError('RESOURCE_TAKEN', { errors: [problem], cause: error })
  }
}
