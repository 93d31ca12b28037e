import { DatabaseUnavailable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { currentHorizon, deleteExpired, type Retention } from './store.ts'

const everyMs = 60_000
/**
 * The age at which entries of the change log are deleted. Its readers poll it four times a second. A reader that has
 * not polled for this long has lost its lease, and starts again with an empty cache.
 */
const trimBehindMs = 10 * 60_000
/** The maximum number of batches of each step per run, so that a run ends even if there are always more rows. */
const maxBatches = 100

/** The steps of other modules. */
interface HousekeepingDeps {
  /** Deletes the entries of the change log before this transaction. */
  readonly trimChanges: (horizon: string) => Promise<unknown>
  /** Announces the API keys that expire soon, and stores the end of those that have expired. */
  readonly endKeys: () => Promise<unknown>
  /** Returns the current retention periods, which admins can change. */
  readonly retention: () => Retention
  /** Further steps. Each deletes a batch of expired rows, and returns their number. */
  readonly steps: readonly (() => Promise<number>)[]
}

/**
 * Starts housekeeping, which deletes expired rows once a minute, in small batches. One run follows the other, so a
 * minute that begins during a run starts none. All instances run it, also at the same time. Each then finds fewer rows.
 */
export function startHousekeeping(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  { trimChanges, endKeys, retention, steps }: HousekeepingDeps,
) {
  const horizons: { at: number; horizon: string }[] = []
  let running: Promise<void> | undefined
  let isClosing = false

  /** Deletes the changes before the transaction that was the oldest in progress `trimBehindMs` ago. */
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
      await repeat(() => deleteExpired(db, retention()))
      for (const step of steps) await repeat(step)
    } catch (error) {
      // The database client logs an outage, and the next run tries again.
      if (!(error instanceof DatabaseUnavailable)) log.error({ err: error }, 'housekeeping failed')
    }
  }
  const repeat = async (step: () => Promise<number>) => {
    for (let batch = 0; batch < maxBatches && !isClosing; batch++) if ((await step()) === 0) break
  }
  const timer = setInterval(() => {
    running ??= clean().finally(() => {
      running = undefined
    })
  }, everyMs)
  timer.unref()
  return {
    /** Runs housekeeping once, now. */
    clean,
    /** Starts no further run, and waits until the one in progress has ended its batch. */
    close: async () => {
      isClosing = true
      clearInterval(timer)
      await running
    },
  }
}
