import { access } from '@rolecall/contract'
import type { Queryable } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { Router } from '#platform/http/router'
import { by, type Callers } from '../../callers/callers.ts'
import type { ChangeDeps, Deps } from '../../deps.ts'
import { grantAccess } from './grant-access.ts'
import { revokeAccess } from './revoke-access.ts'
import {
  countMappings,
  findProject,
  findServers,
  listMappings,
  listTrail,
  type MappingFilter,
} from './store.ts'

/** Registers the endpoints that administrators use to manage the access of projects to servers. */
export function accessRoutes({ route }: Router<Callers>, deps: Deps) {
  const { db, runDry } = deps
  route(access.listProjectServers, async ({ params: { projectId }, query }) => {
    if (!(await findProject(db, projectId))) throw new ApiError('PROJECT_NOT_FOUND')
    return list(db, { projectIds: [projectId], scope: query.scope })
  })
  route(access.listServerProjects, async ({ params: { serverId }, query }) => {
    if ((await findServers(db, [serverId])).length === 0) throw new ApiError('SERVER_NOT_FOUND')
    return list(db, { serverId, ...query })
  })
  route(access.setAccess, async (request) => {
    const change = (parts: ChangeDeps) =>
      grantAccess(parts, by(request), { ...request.params, ...request.body })
    if (request.query.dryRun) return runDry(request.params, change)
    const mapping = await change(deps)
    if (!mapping) throw new ApiError('SERVER_NOT_FOUND')
    return mapping
  })
  route(access.revokeAccess, (request) => {
    const change = (parts: ChangeDeps) => revokeAccess(parts, by(request), request.params)
    return request.query.dryRun ? runDry(request.params, change) : change(deps)
  })
  route(access.accessMatrix, ({ query: { projectId, ...query } }) =>
    list(db, { projectIds: projectId ? [projectId] : undefined, ...query }),
  )
  route(access.accessTrail, ({ query }) => listTrail(db, { ...query, limit: query.limit ?? 100 }))
}

/**
 * The maximum number of mappings in a response, which is more than a project or server has. `total` counts all of them.
 */
const maxListed = 10_000

async function list(db: Queryable, filter: MappingFilter) {
  const data = await listMappings(db, filter, maxListed)
  return { data, total: data.length < maxListed ? data.length : await countMappings(db, filter) }
}
