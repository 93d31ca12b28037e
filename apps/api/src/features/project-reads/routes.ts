import { projectReads } from '@rolecall/contract'
import type { Router } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import type { Callers } from '../callers.ts'
import { checkPermissions } from './check-permissions.ts'
import { listServerMembers, readServerMember } from './server-members.ts'

export function projectReadRoutes({ route }: Router<Callers>, deps: Deps) {
  route(projectReads.listServerMembers, ({ caller, params, query: { limit = 50, ...query } }) =>
    listServerMembers(deps, caller, { ...params, ...query, limit }),
  )
  route(projectReads.readServerMember, ({ caller, params }) => readServerMember(deps, caller, params))
  route(projectReads.checkPermissions, ({ caller, params, body }) =>
    checkPermissions(deps, caller, params.serverId, body),
  )
}
