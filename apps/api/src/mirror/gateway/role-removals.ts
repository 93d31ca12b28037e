import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable } from '#platform/db/database'
import type { MirrorDeps } from '../mirror-deps.ts'
import { type TakeRole, takeRole } from '../write-members.ts'
import { asLeader, LeadLost } from './store.ts'

/** The number of rows in a transaction, so that others on the same rows or connection wait only briefly. */
const rowsPerStep = { postgres: 500, pglite: 50 }
const retryAfterMs = 250

/**
 * Removes deleted roles from their holders, step by step in the background. Responses do not depend on it, because they
 * leave out roles without a row. It creates the events for projects, and shortens lists by role.
 */
export function createRoleRemovals({ db, log }: Pick<MirrorDeps, 'db' | 'log'>, epoch: number) {
  const removals = new Set<Promise<void>>()
  let isClosing = false

  const takeFromAll = async (serverId: string, roleId: string) => {
    let after: string | undefined = ''
    while (after !== undefined && !isClosing) {
      after = await takeNext({ serverId, roleId, after, limit: rowsPerStep[db.engine] })
      // The embedded engine responds within one turn of the event loop, which would block other work.
      await nextTurn()
    }
  }
  /** Takes one step. After an outage of the database, repeats it. */
  const takeNext = async (step: TakeRole): Promise<string | undefined> => {
    try {
      return await asLeader(db, epoch, (tx) => takeRole(tx, step))
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error
      await sleep(retryAfterMs)
      return step.after
    }
  }

  return {
    start(serverId: string, roleId: string): void {
      const removal = takeFromAll(serverId, roleId)
        .catch((error: unknown) => {
          // The next read of all members removes the role from the remaining holders.
          if (!(error instanceof LeadLost))
            log.error({ err: error, serverId }, 'deleted role not removed from all members')
        })
        .finally(() => removals.delete(removal))
      removals.add(removal)
    },
    async close(): Promise<void> {
      isClosing = true
      await Promise.all(removals)
    },
  }
}
