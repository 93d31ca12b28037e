import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable } from '#platform/db/database'
import type { MirrorDeps } from '../mirror-deps.ts'
import { type HeldRole, listHolders, removeRoleFromMembers } from '../write-members.ts'
import { LeadershipLost, runAsLeader } from './store.ts'

/**
 * The number of rows in a transaction. It is small, so that other statements on these rows, or on the only connection
 * of the embedded database, wait only briefly.
 */
const rowsPerStep = { postgres: 500, pglite: 50 }
/** The number of members that are listed at once. Most roles need one list, but no list contains a whole server. */
const holdersPerList = { postgres: 10_000, pglite: 500 }
const retryAfterMs = 250

/** The members from whom the role must still be removed. */
interface Remaining {
  readonly listed: readonly string[]
  /** The last member of the current list. Undefined if there are no more lists. */
  readonly after: string | undefined
}

/**
 * Creates the task that removes deleted roles from the members who hold them, in small steps in the background.
 * Responses are correct in the meantime, because they leave out a role that no longer exists. The removal is needed for
 * two other things: projects are notified that the roles have changed, and the members no longer appear in lists by
 * role.
 */
export function createRoleRemovals({ db, log }: Pick<MirrorDeps, 'db' | 'log'>, epoch: number) {
  const removals = new Set<Promise<void>>()
  let isClosing = false

  const removeFromAll = async (serverId: string, roleId: string) => {
    let remaining: Remaining = { listed: [], after: '' }
    while ((remaining.listed.length > 0 || remaining.after !== undefined) && !isClosing) {
      remaining = await nextStep({ serverId, roleId }, remaining)
      // The embedded engine responds without leaving the current turn of the event loop. Without this pause, other work
      // would wait until all steps are done.
      await nextTurn()
    }
  }
  /**
   * Removes the role from some of the listed members or, if none are left, lists more. If the database is unavailable,
   * returns `remaining` unchanged, so that the step is repeated.
   */
  const nextStep = async (role: HeldRole, remaining: Remaining): Promise<Remaining> => {
    try {
      return remaining.listed.length > 0
        ? await removeFromListed(role, remaining)
        : await listNext(role, remaining.after ?? '')
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error
      await sleep(retryAfterMs)
      return remaining
    }
  }
  const removeFromListed = async (role: HeldRole, { listed, after }: Remaining): Promise<Remaining> => {
    const rows = rowsPerStep[db.engine]
    await runAsLeader(db, epoch, (tx) =>
      removeRoleFromMembers(tx, { ...role, memberIds: listed.slice(0, rows) }),
    )
    return { listed: listed.slice(rows), after }
  }
  const listNext = async (role: HeldRole, after: string): Promise<Remaining> => {
    const limit = holdersPerList[db.engine]
    const listed = await listHolders(db, { ...role, after, limit })
    return { listed, after: listed.length < limit ? undefined : listed.at(-1) }
  }

  return {
    start(serverId: string, roleId: string): void {
      const removal = removeFromAll(serverId, roleId)
        .catch((error: unknown) => {
          // The next time all members are read, the role is removed from those that still have it.
          if (!(error instanceof LeadershipLost))
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
