import type { By } from '#audit/event'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { grantOf } from './grant-access.ts'
import { deleteMapping, insertTrailEntry, listMappings, lockProject } from './store.ts'

/**
 * Revokes a project's access to a server. Returns the mapping as it was.
 *
 * @throws ACCESS_NOT_FOUND
 */
export async function revokeAccess(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  by: By,
  { projectId, serverId }: { projectId: string; serverId: string },
) {
  return db.transaction(async (tx) => {
    const project = await lockProject(tx, projectId)
    const [before] = project ? await listMappings(tx, { projectIds: [projectId], serverId }) : []
    if (!project || !before) throw new ApiError('ACCESS_NOT_FOUND')

    const server = { id: serverId, name: before.serverName }
    await deleteMapping(tx, projectId, serverId)
    const change = { before: grantOf(before), after: null }
    await insertTrailEntry(tx, { action: 'REVOKE', project, server, actor: by.actor, ...change })
    await audit.record(tx, {
      ...by,
      actionType: 'permission',
      action: 'access.revoke',
      target: { type: 'project', id: project.id, name: project.name },
      summary: `${project.name} no longer has access to ${server.name}.`,
      changes: { [`server ${serverId}`]: change },
    })
    return before
  })
}
