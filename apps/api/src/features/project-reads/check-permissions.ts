import type { projectReads } from '@rolecall/contract'
import type { Deps } from '../../deps.ts'
import type { ProjectCaller } from '../callers.ts'
import { checkScope } from './check-scope.ts'
import { currentMember } from './current-member.ts'
import { toServerMember } from './server-member.ts'

/** Whether a member holds the roles asked for, now. Starts from no: whoever is no member is allowed nothing. */
export async function checkPermissions(
  deps: Pick<Deps, 'db' | 'settings' | 'refreshMember'>,
  caller: ProjectCaller,
  serverId: string,
  { memberId, anyOf, allOf }: projectReads.CheckPermissions,
) {
  await checkScope(deps, caller, serverId, 'check_permissions')
  const row = await currentMember(deps, { projectId: caller.projectId, serverId, memberId })
  if (!row) return { allowed: false, isMember: false, roles: [] }
  const holds = (roleId: string) => row.roleIds.includes(roleId)
  const allowed = (anyOf?.some(holds) ?? true) && (allOf?.every(holds) ?? true)
  return { allowed, isMember: true, roles: toServerMember(row).roles }
}
