import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable } from '#platform/db/database'
import type { MirrorDeps } from '../mirror-deps.ts'
import { type HeldRole, listHolders, takeRole } from '../write-members.ts'
import { asLeader, LeadLost } from './store.ts'

/** The number of rows in a transaction, so that other work on the same rows or connection waits only briefly. */
const rowsPerStep = { postgres: 500, pglite: 50 }
/** The number of holders in a list: most roles need one list, but no list contains a whole server. */
const holdersPerList = { postgres: 10_000, pglite: 500 }
const retryAfterMs = 250

/** The holders who still have the role. */
interface Rest {
  readonly listed: readonly string[]
  /** The last holder who was listed. Undefined: all are listed. */
  readonly after: string | undefined
}

/**
 * Removes deleted roles from their holders, in small steps in the background. Meanwhile, responses are correct, because they
 * omit a role that has no row. The removal tells projects that the roles have changed, and takes the holders out of lists by
 * role.
 */
export function createRoleRemovals({ db, log }: Pick<MirrorDeps, 'db' | 'log'>, epoch: number) {
  const removals = new Set<Promise<void>>()
  let isClosing = false

  const takeFromAll = async (serverId: string, roleId: string) => {
    let rest: Rest = { listed: [], after: '' }
    while ((rest.listed.length > 0 || rest.after !== undefined) && !isClosing) {
      rest = await takeNext({ serverId, roleId }, rest)
      // The embedded engine responds within one turn of the event loop, which would block other work.
      await nextTurn()
    }
  }
  /** Takes one step. After an outage of the database, repeats it. */
  const takeNext = async (role: HeldRole, rest: Rest): Promise<Rest> => {
    try {
      return rest.listed.length > 0 ? await takeFromListed(role, rest) : await list(role, rest.after ?? '')
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error
      await sleep(retryAfterMs)
      return rest
    }
  }
  const takeFromListed = async (role: HeldRole, { listed, after }: Rest): Promise<Rest> => {
    const rows = rowsPerStep[db.engine]
    await asLeader(db, epoch, (tx) => takeRole(tx, { ...role, memberIds: listed.slice(0, rows) }))
    return { listed: listed.slice(rows), after }
  }
  const list = async (role: HeldRole, after: string): Promise<Rest> => {
    const limit = holdersPerList[db.engine]
    const listed = await listHolders(db, { ...role, after, limit })
    return { listed, after: listed.length < limit ? undefined : listed.at(-1) }
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
