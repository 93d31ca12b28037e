import { admitsAuditor, type EndpointDefinition, formats } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import type { Session } from '#session-memory/session'
import type { AdminCaller, AdminKind } from '../../callers/callers.ts'
import { isOwner, listOwnedProjects, type PossibleOwner } from '../../callers/owners-store.ts'
import type { Deps } from '../../deps.ts'

type Terms = Pick<Deps, 'config' | 'db'>
type Roles = Pick<Session, 'roleIds'>

/** Returns true if a member of the main server has the admin role (`CHAT_ADMIN_ROLE_ID`). */
export const isSystemAdmin = ({ config }: Pick<Deps, 'config'>, { roleIds }: Roles) =>
  config.chatAdminRoleId !== undefined && roleIds.includes(config.chatAdminRoleId)

/** Returns true if a member of the main server has the auditor role (`CHAT_AUDITOR_ROLE_ID`, optional). */
export const isAuditor = ({ config }: Pick<Deps, 'config'>, { roleIds }: Roles) =>
  config.chatAuditorRoleId !== undefined && roleIds.includes(config.chatAuditorRoleId)

/**
 * Returns true if a member is a System Admin, an auditor, or an owner of a project. Other members cannot create an
 * admin session.
 */
export const isAdministrator = async (deps: Terms, member: PossibleOwner): Promise<boolean> =>
  isSystemAdmin(deps, member) ||
  isAuditor(deps, member) ||
  (await listOwnedProjects(deps.db, member)).length > 0

/**
 * Returns the kind of administrator that a member is for an endpoint of the admin API, or undefined if the member may
 * not call the endpoint. The endpoint's declaration and the member's current roles decide.
 *
 * Only ownership needs a database query. If `owners` of the declaration is `'any'`, the member must own at least one
 * project. Otherwise `owners` names the path parameter with the project ID, and the member must own that project.
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
 * Checks that an owner sends only the body fields that the endpoint permits to owners. Other callers may send all
 * fields.
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
