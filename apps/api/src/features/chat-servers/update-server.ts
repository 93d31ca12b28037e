import type { chatServers } from '@rolecall/contract'
import type { By } from '#audit/event'
import { setMainFlag } from '#mirror/write-servers'
import { violates } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { getServer } from './get-server.ts'

/**
 * Makes a server the main server, or removes this property. A unique index permits only one main server, also for
 * concurrent requests.
 *
 * @throws SERVER_NOT_FOUND, MAIN_SERVER_EXISTS
 */
export async function updateServer(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  by: By,
  id: string,
  { isMain }: { isMain: boolean },
): Promise<chatServers.ChatServer> {
  try {
    // A trigger also updates every member of the server. In a large server, this takes longer than the usual statement
    // timeout.
    await db.transaction(
      async (tx) => {
        const changed = await setMainFlag(tx, id, isMain)
        if (!changed) return
        await audit.record(tx, {
          ...by,
          actionType: 'server',
          action: 'server.update',
          severity: 'warning',
          target: { type: 'server', id, name: changed.name },
          summary: `${changed.name} is ${isMain ? 'now' : 'no longer'} the main server.`,
          changes: { isMain: { before: !isMain, after: isMain } },
        })
      },
      { long: true },
    )
  } catch (error) {
    throw violates(error, 'servers_one_main') ? new ApiError('MAIN_SERVER_EXISTS') : error
  }
  return getServer(db, id)
}
