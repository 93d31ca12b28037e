import { access } from '@rolecall/contract'
import type { Router } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import { by, type Callers } from '../callers.ts'
import { grantAccess } from './grant-access.ts'
import { listAccess, listAccessTrail, listProjectsOfServer, listServersOfProject } from './list-access.ts'
import { revokeAccess } from './revoke-access.ts'

export function accessRoutes({ route }: Router<Callers>, deps: Deps) {
  route(access.listServersOfProject, ({ params, query: { limit = 10_000, offset = 0, ...filters } }) =>
    listServersOfProject(deps, params.projectId, filters, { limit, offset }),
  )
  route(access.listProjectsOfServer, ({ params, query: { limit = 10_000, offset = 0, ...filters } }) =>
    listProjectsOfServer(deps, params.serverId, filters, { limit, offset }),
  )
  route(access.setAccess, (request) => grantAccess(deps, by(request), { ...request.params, ...request.body }))
  route(access.revokeAccess, (request) => revokeAccess(deps, by(request), request.params))
  route(access.accessMatrix, ({ query: { limit = 10_000, offset = 0, projectId, ...filters } }) =>
    listAccess(deps, { ...filters, ...(projectId && { projectIds: [projectId] }) }, { limit, offset }),
  )
  route(access.accessTrail, ({ query: { limit = 100, ...filters } }) => listAccessTrail(deps, filters, limit))
}
