import type { access } from '@rolecall/contract'
import type { Queryable } from '#platform/db/database'
import { type AccessRow, type AccessState, listAccessRows } from './store.ts'

/** In the order in which they are always stored and shown. */
export const allScopes = ['read_members', 'check_permissions'] as const satisfies readonly access.Scope[]

/** What a new mapping allows, unless told otherwise. */
export const defaultState: AccessState = {
  operations: { READ: true, SEND_MESSAGES: false, MANAGE_WEBHOOKS: false },
  scopes: allScopes,
}

/** The mappings of these projects, newest first. */
export async function listAccessOf(db: Queryable, projectIds: readonly string[]) {
  return (await listAccessRows(db, { projectIds }, { limit: null, offset: 0 })).map(toMapping)
}

/** The mapping of one project to one server, or undefined. */
export async function findAccess(db: Queryable, projectId: string, serverId: string) {
  const [row] = await listAccessRows(db, { projectIds: [projectId], serverId }, { limit: 1, offset: 0 })
  return row && toMapping(row)
}

/** A mapping as the administration shows it. */
export const toMapping = (row: AccessRow): access.AccessMapping => ({
  projectId: row.projectId,
  projectName: row.projectName,
  projectIsActive: row.projectIsActive,
  serverId: row.serverId,
  serverName: row.serverName,
  isMainServer: row.isMainServer,
  operations: {
    READ: row.canRead,
    SEND_MESSAGES: row.canSendMessages,
    MANAGE_WEBHOOKS: row.canManageWebhooks,
  },
  scopes: [...row.scopes],
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

/** What a mapping allows, without who and when. */
export const stateOf = ({ operations, scopes }: access.AccessMapping): AccessState => ({ operations, scopes })
