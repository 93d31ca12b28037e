import type { chatServers } from '@rolecall/contract'
import type { By } from '#audit/event'
import { setMainFlag } from '#mirror/write-servers'
import { violates } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { getServer } from './get-server.ts'

/**
 * Sets or removes the main flag of a server. If two servers are to become the main one at the same time, the unique
 * index allows only one.
 */
export async function updateServer(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  by: By,
  id: string,
  { isMain }: { isMain: boolean },
): Promise<chatServers.ChatServer> {
  try {
    // Every member of the server changes too, which takes longer in a large server than the statement timeout of a
    // request.
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
