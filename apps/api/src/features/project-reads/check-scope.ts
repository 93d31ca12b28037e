import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import type { ProjectCaller } from '../callers.ts'
import { hasScope } from './store.ts'

/** Refuses a project without the scope. A server that it has no mapping to is the same to it as none at all. */
export async function checkScope(
  { db }: Pick<Deps, 'db'>,
  { projectId }: ProjectCaller,
  serverId: string,
  scope: 'read_members' | 'check_permissions',
): Promise<void> {
  if (await hasScope(db, projectId, serverId, scope)) return
  throw new ApiError('SCOPE_REQUIRED', {
    projectId,
    detail: `The project does not have the scope ${scope} on this server.`,
  })
}
