import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable } from '#platform/db/database'
import type { MirrorDeps } from '../mirror-deps.ts'
import { type HeldRole, listHolders, takeRole } from '../write-members.ts'
import { asLeader, LeadLost } from './store.ts'

/**
 * The number of rows in a transaction. It is small, so that other statements on these rows, or on the only connection
 * of the embedded database, wait only briefly.
 */
const rowsPerStep = { postgres: 500, pglite: 50 }
/** The number of members that are listed at once. Most roles need one list, but no list contains a whole server. */
const holdersPerList = { postgres: 10_000, pglite: 500 }
const retryAfterMs = 250

/** The members from whom the role must still be removed. */
interface Rest {
  readonly listed: readonly string[]
  /** The last member of the current list. Undefined if there are no more lists. */
  readonly after: string | undefined
}

/**
 * Creates the task that removes deleted roles from the members who hold them, in small steps in the background.
 * Responses are correct in the meantime, because they leave out a role that no longer exists. The removal is needed for
 * two other things: projects are told that the roles have changed, and the members no longer appear in lists by role.
 */
export function createRoleRemovals({ db, log }: Pick<MirrorDeps, 'db' | 'log'>, epoch: number) {
  const removals = new Set<Promise<void>>()
  let isClosing = false

  const removeFromAll = async (serverId: string, roleId: string) => {
    let rest: Rest = { listed: [], after: '' }
    while ((rest.listed.length > 0 || rest.after !== undefined) && !isClosing) {
      rest = await nextStep({ serverId, roleId }, rest)
      // The embedded engine responds without leaving the current turn of the event loop. Without this pause, other work
      // would wait until all steps are done.
      await nextTurn()
    }
  }
  /**
   * Removes the role from some of the listed members or, if none are left, lists more. If the database is unavailable,
   * returns `rest` unchanged, so that the step is repeated.
   */
  const nextStep = async (role: HeldRole, rest: Rest): Promise<Rest> => {
    try {
      return rest.listed.length > 0
        ? await removeFromListed(role, rest)
        : await listNext(role, rest.after ?? '')
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error
      await sleep(retryAfterMs)
      return rest
    }
  }
  const removeFromListed = async (role: HeldRole, { listed, after }: Rest): Promise<Rest> => {
    const rows = rowsPerStep[db.engine]
    await asLeader(db, epoch, (tx) => takeRole(tx, { ...role, memberIds: listed.slice(0, rows) }))
    return { listed: listed.slice(rows), after }
  }
  const listNext = async (role: HeldRole, after: string): Promise<Rest> => {
    const limit = holdersPerList[db.engine]
    const listed = await listHolders(db, { ...role, after, limit })
    return { listed, after: listed.length < limit ? undefined : listed.at(-1) }
  }

  return {
    start(serverId: string, roleId: string): void {
      const removal = removeFromAll(serverId, roleId)
        .catch((error: unknown) => {
          // The next time all members are read, the role is removed from those that still have it.
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
