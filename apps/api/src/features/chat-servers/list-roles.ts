import type { chatServers } from '@rolecall/contract'
import { ChatPlatformError } from '#chat/chat-platform'
import { syncServer } from '#mirror/rest/sync-server'
import { ApiError } from '#platform/http/api-error'
import { chatPlatformUnavailable } from '#platform/http/problem'
import type { Deps } from '../../deps.ts'
import { findRolesAge, listRoles } from './store.ts'

/**
 * Lists the roles of a server. Reads them from Discord first if the stored ones are too old. If Discord does not
 * respond, returns the stored ones.
 *
 * @throws SERVER_NOT_FOUND, CHAT_PLATFORM_UNAVAILABLE if no roles are stored
 */
export async function listServerRoles(
  deps: Pick<Deps, 'db' | 'chat' | 'settings'>,
  id: string,
): Promise<{ data: chatServers.ListedRole[]; total: number }> {
  const age = await findRolesAge(deps.db, id, deps.settings.current().permissionTtlMs)
  if (!age) throw new ApiError('SERVER_NOT_FOUND')
  if (!age.areFresh) {
    await syncServer(deps, id, 'login').catch((error: unknown) => {
      if (!(error instanceof ChatPlatformError)) throw error
      if (!age.areKnown) throw chatPlatformUnavailable(error)
    })
  }
  const data = await listRoles(deps.db, id)
  return { data, total: data.length }
}
