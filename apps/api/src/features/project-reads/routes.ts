import { projectReads } from '@rolecall/contract'
import { Answer } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/check-request'
import type { Router } from '#platform/http/router'
import { toServerMember } from '#responses/server-member'
import type { Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { checkFromMemory, memberFromMemory } from './answer-from-memory.ts'
import { checkMany } from './check-many.ts'
import { allowedBy } from './is-allowed.ts'
import { liveMember, liveRoles } from './live-member.ts'
import { memberChanges, presentCursor } from './member-changes.ts'
import { listMembers } from './store.ts'

/** Registers the endpoints that a project uses to read members and roles. They require its API key and a scope. */
export function projectReadRoutes({ route, routeFromMemory }: Router<Callers>, deps: Deps) {
  const { db, answers } = deps
  /** Throws SCOPE_REQUIRED unless the project has this scope in the server. */
  const requireScope = async (projectId: string, serverId: string, scope: string) => {
    // The error is the same for a server that does not exist, so a project cannot find out which servers are
    // registered.
    if (await answers.hasScope({ projectId, serverId }, scope)) return
    throw new ApiError('SCOPE_REQUIRED', { projectId, detail: `The scope ${scope} is required.` })
  }

  route(
    projectReads.listServerMembers,
    async ({ caller, params: { serverId }, query: { cursor, changedSince, limit = 50 } }) => {
      if (cursor !== undefined && changedSince !== undefined)
        throw invalid([
          { path: '/cursor', message: 'must be omitted when changedSince is set', code: 'EXCLUSIVE' },
        ])
      await requireScope(caller.projectId, serverId, 'read_members')
      if (changedSince !== undefined) return memberChanges(deps, { serverId, changedSince, limit })
      const changeCursor = cursor === undefined ? await presentCursor(deps, serverId) : undefined
      const rows = await listMembers(db, serverId, cursor ?? '', limit + 1)
      const page = rows.slice(0, limit).map(toServerMember)
      const nextCursor = rows.length > limit ? (page.at(-1)?.memberId ?? null) : null
      return { data: page, nextCursor, ...(changeCursor !== undefined && { changeCursor }) }
    },
  )
  route(projectReads.getServerMember, async ({ caller, params: { serverId, memberId } }) => {
    await requireScope(caller.projectId, serverId, 'read_members')
    const member = await liveMember(deps, { projectId: caller.projectId, serverId, memberId })
    if (!member) throw new ApiError('MEMBER_NOT_FOUND')
    return toServerMember(member)
  })
  routeFromMemory(
    projectReads.getServerMember,
    [projectReads.getServerMember.path],
    (request, _body, params) => memberFromMemory(deps, request, params),
  )
  route(
    projectReads.checkPermissions,
    async ({ caller, params: { serverId }, body: { memberId, anyOf, allOf } }) => {
      await requireScope(caller.projectId, serverId, 'check_permissions')
      const held = await liveRoles(deps, { projectId: caller.projectId, serverId, memberId })
      if (!held) return { allowed: false, isMember: false, roles: [] }
      const { roles, isBlocked } = held
      return {
        allowed: !isBlocked && allowedBy({ anyOf, allOf })(roles),
        isMember: true,
        roles: [...roles],
      }
    },
  )
  routeFromMemory(
    projectReads.checkPermissions,
    [projectReads.checkPermissions.path],
    (request, body, params) => checkFromMemory(deps, request, params, body),
  )
  route(
    projectReads.checkManyPermissions,
    async ({ caller, params: { serverId }, body: { memberIds, ...wanted } }) => {
      await requireScope(caller.projectId, serverId, 'check_permissions')
      return new Answer(200, await checkMany(deps, { serverId, memberIds, isAllowed: allowedBy(wanted) }))
    },
  )
}
