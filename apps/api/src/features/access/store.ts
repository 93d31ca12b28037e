import type { Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

export const allScopes = ['read_members', 'check_permissions'] as const
export type Scope = (typeof allScopes)[number]

export interface Operations {
  readonly READ: boolean
  readonly SEND_MESSAGES: boolean
  readonly MANAGE_WEBHOOKS: boolean
}

export const defaultOperations: Operations = { READ: true, SEND_MESSAGES: false, MANAGE_WEBHOOKS: false }

export const insertAccess = (
  tx: Tx,
  access: { projectId: string; serverId: string; operations: Operations; scopes: readonly Scope[] },
) =>
  tx.execute(sql`
    insert into server_access (project_id, server_id, can_read, can_send_messages, can_manage_webhooks, scopes)
    values (${access.projectId}, ${access.serverId}, ${access.operations.READ},
      ${access.operations.SEND_MESSAGES}, ${access.operations.MANAGE_WEBHOOKS}, ${access.scopes}::text[])`)
