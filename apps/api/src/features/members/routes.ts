import { memberHistory, memberLists } from '@rolecall/contract'
import type { Router } from '#platform/http/router'
import { by, type Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { exportMembers } from './export-members.ts'
import { listMemberHistory } from './list-history.ts'
import { listMembers } from './list-members.ts'
import { getMemberServers } from './member-servers.ts'
import { refreshMember } from './refresh-member.ts'

type MemberRouteDeps = Pick<Parameters<typeof exportMembers>[0], 'openDownload'> &
  Pick<Parameters<typeof refreshMember>[0], 'refreshLimiter'>

/** Registers the endpoints that administrators use to list, export, and refresh members. */
export function memberRoutes({ route }: Router<Callers>, deps: Deps, needs: MemberRouteDeps) {
  route(memberLists.listMembers, ({ query }) => listMembers(deps, query))
  route(memberLists.listCrossServerMembers, ({ query }) => listMembers(deps, query))
  route(memberLists.exportMembers, (request) =>
    exportMembers({ ...deps, ...needs }, by(request), request.query),
  )
  route(memberLists.refreshMember, (request) =>
    refreshMember({ ...deps, ...needs }, by(request), request.params.chat_user_id),
  )
  route(memberLists.listMemberServers, ({ params }) => getMemberServers(deps, params.chat_user_id))
  route(memberHistory.listMemberHistory, ({ params, query }) => listMemberHistory(deps, params.id, query))
}
