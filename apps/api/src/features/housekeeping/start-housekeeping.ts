import { DatabaseUnavailable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { currentHorizon, deleteExpired } from './store.ts'

const everyMs = 60_000
/** Readers look at the change log four times a second. One that did not for so long loses its lease, and starts anew. */
const trimBehindMs = 10 * 60_000
const maxBatches = 100

interface HousekeepingDeps {
  readonly trimChanges: (horizon: string) => Promise<unknown>
  readonly endKeys: () => Promise<unknown>
}

/** Deletes what has expired, once a minute, in small batches. Every instance may: they only find less to do. */
export function startHousekeeping(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  { trimChanges, endKeys }: HousekeepingDeps,
) {
  const horizons: { at: number; horizon: string }[] = []
  let running = Promise.resolve()

  const trim = async () => {
    const now = performance.now()
    const current = await currentHorizon(db)
    if (current) horizons.push({ at: now, horizon: current.horizon })
    const old = horizons.findLast(({ at }) => at <= now - trimBehindMs)
    if (!old) return
    await trimChanges(old.horizon)
    horizons.splice(0, horizons.indexOf(old))
  }
  const clean = async () => {
    try {
      await trim()
      await endKeys()
      for (let batch = 0; batch < maxBatches; batch++) if ((await deleteExpired(db)) === 0) break
    } catch (error) {
      // An outage is told elsewhere, and the next minute tries again.
      if (!(error instanceof DatabaseUnavailable)) log.error({ err: error }, 'housekeeping failed')
    }
  }
  const timer = setInterval(() => {
    running = clean()
  }, everyMs)
  timer.unref()
  return {
    /** Does the work of one minute now. */
    clean,
    close: async () => {
      clearInterval(timer)
      await running
    },
  }
}
