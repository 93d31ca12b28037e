import { admitsAuditor, type EndpointDefinition, formats } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import type { Session } from '#session-memory/session'
import type { AdminCaller, AdminKind } from '../../callers/callers.ts'
import { isOwner, listOwnedProjects, type PossibleOwner } from '../../callers/owners-store.ts'
import type { Deps } from '../../deps.ts'

type Terms = Pick<Deps, 'config' | 'db'>
type Roles = Pick<Session, 'roleIds'>

/** A member of the main server who holds the admin role. */
export const isSystemAdmin = ({ config }: Pick<Deps, 'config'>, { roleIds }: Roles) =>
  config.chatAdminRoleId !== undefined && roleIds.includes(config.chatAdminRoleId)

/** A member of the main server who holds the auditor role. */
export const isAuditor = ({ config }: Pick<Deps, 'config'>, { roleIds }: Roles) =>
  config.chatAuditorRoleId !== undefined && roleIds.includes(config.chatAuditorRoleId)

/** Whether somebody has anything to administer: who has nothing gets no session of the administration. */
export const administers = async (deps: Terms, member: PossibleOwner): Promise<boolean> =>
  isSystemAdmin(deps, member) ||
  isAuditor(deps, member) ||
  (await listOwnedProjects(deps.db, member)).length > 0

/**
 * As what somebody may call an endpoint of the administration, by its declaration and the roles of now; undefined where
 * they may not. Only who owns the very project that the path names is asked for in the database.
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
 * An owner may send some fields of a body and not others.
 * @throws NOT_SYSTEM_ADMIN
 */
export function checkOwnerFields({ ownerFields }: EndpointDefinition, caller: object, body: unknown) {
  if (!ownerFields || !isAdmin(caller) || caller.kind !== 'owner') return
  const others = Object.keys((body as object | undefined) ?? {}).filter(
    (field) => !ownerFields.includes(field),
  )
  if (others.length === 0) return
  const detail = `An owner of a project may send ${ownerFields.join(', ')}, and nothing else.`
  throw new ApiError('NOT_SYSTEM_ADMIN', { detail, reason: 'not_system_admin' })
}

const isAdmin = (caller: object): caller is AdminCaller => 'kind' in caller
