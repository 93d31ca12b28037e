import type { By } from '#audit/event'
import { removeUnlessMain } from '#mirror/write-servers'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { getServer } from './get-server.ts'

/**
 * Removes a server: revokes its sessions, and no longer lists its members. The stored data is kept, for the audit log
 * and in case the server is added again.
 *
 * The main server and the server of the configuration cannot be removed, because they decide who is a System Admin. An
 * admin who removed one could not undo this.
 *
 * @throws SERVER_NOT_FOUND, MAIN_SERVER_REQUIRED
 */
export async function removeServer(
  { db, audit, config, endSessions }: Pick<Deps, 'db' | 'audit' | 'config' | 'endSessions'>,
  by: By,
  id: string,
): Promise<void> {
  if (id === config.chatGuildId) {
    await getServer(db, id)
    throw new ApiError('MAIN_SERVER_REQUIRED')
  }
  await db.transaction(
    async (tx) => {
      const removed = await removeUnlessMain(tx, id)
      if (!removed) {
        await getServer(tx, id)
        throw new ApiError('MAIN_SERVER_REQUIRED')
      }
      const ended = await endSessions.ofServer(tx, id)
      await audit.record(tx, {
        ...by,
        actionType: 'server',
        action: 'server.delete',
        severity: 'warning',
        target: { type: 'server', id, name: removed.name },
        summary: `Server ${removed.name} was removed; ${ended} sessions ended.`,
      })
    },
    { long: true },
  )
}
