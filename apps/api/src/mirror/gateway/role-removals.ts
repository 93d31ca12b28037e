import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable } from '#platform/db/database'
import type { MirrorDeps } from '../mirror-deps.ts'
import { type TakeRole, takeRole } from '../write-members.ts'
import { asLeader, LeadLost } from './store.ts'

/** The number of rows in a transaction: few enough to delay others on the same rows or connection only slightly. */
const rowsPerStep = { postgres: 500, pglite: 50 }
const retryAfterMs = 250

/**
 * Takes deleted roles from their holders, step by step and in the background. No response waits for this, because no
 * response contains a role without a row. Projects learn of their members by it, and lists by role become shorter.
 */
export function createRoleRemovals({ db, log }: Pick<MirrorDeps, 'db' | 'log'>, epoch: number) {
  const removals = new Set<Promise<void>>()
  let isClosing = false

  const takeFromAll = async (serverId: string, roleId: string) => {
    let after: string | undefined = ''
    while (after !== undefined && !isClosing) {
      after = await takeNext({ serverId, roleId, after, limit: rowsPerStep[db.engine] })
      // The embedded engine responds without ever leaving this turn of the event loop.
      await nextTurn()
    }
  }
  /** Takes one step; after an outage of the database, the same one again. */
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
          // The next reading of all members takes the role from the other holders.
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
