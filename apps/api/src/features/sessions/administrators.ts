import { admitsAuditor, type EndpointDefinition, formats } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import type { Session } from '#session-memory/session'
import type { AdminCaller, AdminKind } from '../../callers/callers.ts'
import { isOwner, listOwnedProjects, type PossibleOwner } from '../../callers/owners-store.ts'
import type { Deps } from '../../deps.ts'

type Terms = Pick<Deps, 'config' | 'db'>
type Roles = Pick<Session, 'roleIds'>

/** Returns true if a member of the main server holds the admin role. */
export const isSystemAdmin = ({ config }: Pick<Deps, 'config'>, { roleIds }: Roles) =>
  config.chatAdminRoleId !== undefined && roleIds.includes(config.chatAdminRoleId)

/** Returns true if a member of the main server holds the auditor role. */
export const isAuditor = ({ config }: Pick<Deps, 'config'>, { roleIds }: Roles) =>
  config.chatAuditorRoleId !== undefined && roleIds.includes(config.chatAuditorRoleId)

/** Returns true if a member has anything to administer. Other members get no session of the administration. */
export const administers = async (deps: Terms, member: PossibleOwner): Promise<boolean> =>
  isSystemAdmin(deps, member) ||
  isAuditor(deps, member) ||
  (await listOwnedProjects(deps.db, member)).length > 0

/**
 * Returns the kind of caller that a member is for an endpoint of the administration, or undefined if they may not call
 * it. The endpoint's declaration and the member's current roles decide. Queries the database only to find out if the
 * member is an owner: of the project in the path, or of any project if the path has none.
 */
export async function kindFor(
  deps: Terms,
  session: Pick<Session, 'roleIds' | 'memberId'>,
  definition: EndpointDefinition,
  params: unknown,
): Promise<AdminKind | undefined> {
  if (isSystemAdmin(deps, session)) return 'systemAdmin'
  if (isAuditor(deps, session) && admitsAuditor(definition)) return 'auditor'
  const { owners } = definition
  if (owners === undefined) return undefined
  if (owners === 'any') return (await listOwnedProjects(deps.db, session)).length > 0 ? 'owner' : undefined
  const projectId = (params as Record<string, unknown> | undefined)?.[owners]
  if (typeof projectId !== 'string' || !formats.uuid(projectId)) return undefined
  return (await isOwner(deps.db, session, projectId)) ? 'owner' : undefined
}

/**
 * Checks that an owner sends only those fields of a body that owners may send.
 *
 * @throws NOT_SYSTEM_ADMIN
 */
export function checkOwnerFields({ ownerFields }: EndpointDefinition, caller: object, body: unknown) {
  if (!ownerFields || !isAdmin(caller) || caller.kind !== 'owner') return
  const others = Object.keys((body as object | undefined) ?? {}).filter(
    (field) => !ownerFields.includes(field),
  )
  if (others.length === 0) return
  const detail = `Owners of a project can send only ${ownerFields.join(', ')}, and nothing else.`
  throw new ApiError('NOT_SYSTEM_ADMIN', { detail, reason: 'not_system_admin' })
}

const isAdmin = (caller: object): caller is AdminCaller => 'kind' in caller
