import type { By } from '#audit/event'
import { removeUnlessMain } from '#mirror/write-servers'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { getServer } from './get-server.ts'

/**
 * Removes a server: its sessions are revoked, and its members leave the lists. Its stored data stays, for the audit log
 * and in case the server is added again.
 *
 * Rejected for the server that decides who is a System Admin: an admin who removed it could not undo that.
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
