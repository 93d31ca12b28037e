import type { access } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import type { By, Deps } from '../../deps.ts'
import { findAccess, stateOf } from './access-mapping.ts'
import { recordChange } from './record-change.ts'
import { deleteAccess, findServer, lockProject } from './store.ts'

/**
 * Takes a server away from a project and answers the mapping as it was. Authorize and validate read the
 * mapping with each decision, so both stop with this transaction, on every instance.
 */
export async function revokeAccess(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  by: By,
  { projectId, serverId }: { projectId: string; serverId: string },
): Promise<access.AccessMapping> {
  return db.transaction(async (tx) => {
    const project = await lockProject(tx, projectId)
    if (!project) throw new ApiError('PROJECT_NOT_FOUND')
    const server = await findServer(tx, serverId)
    if (!server) throw new ApiError('SERVER_NOT_FOUND')
    const existing = await findAccess(tx, projectId, serverId)
    if (!existing) throw new ApiError('ACCESS_NOT_FOUND')
    await deleteAccess(tx, projectId, serverId)
    await recordChange(tx, { audit }, by, { project, server, before: stateOf(existing), after: null })
    return existing
  })
}
