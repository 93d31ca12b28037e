import { DatabaseUnavailable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { currentHorizon, deleteExpired, type Retention } from './store.ts'

const everyMs = 60_000
/**
 * The age at which changes are trimmed. Readers poll the change log four times a second; a reader that has not polled
 * for this long loses its lease and starts again.
 */
const trimBehindMs = 10 * 60_000
const maxBatches = 100

interface HousekeepingDeps {
  readonly trimChanges: (horizon: string) => Promise<unknown>
  readonly endKeys: () => Promise<unknown>
  /** The periods that admins set; read again each time. */
  readonly retention: () => Retention
  /** Steps of other modules. Each deletes some of its expired rows and returns the number. */
  readonly steps: readonly (() => Promise<number>)[]
}

/**
 * Deletes expired rows once a minute, in small batches. Every instance may run it at the same time; each then finds
 * fewer rows.
 */
export function startHousekeeping(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  { trimChanges, endKeys, retention, steps }: HousekeepingDeps,
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
      await repeat(() => deleteExpired(db, retention()))
      for (const step of steps) await repeat(step)
    } catch (error) {
      // An outage is logged once, by `availability.ts`, and the next minute tries again.
      if (!(error instanceof DatabaseUnavailable)) log.error({ err: error }, 'housekeeping failed')
    }
  }
  const repeat = async (step: () => Promise<number>) => {
    for (let batch = 0; batch < maxBatches; batch++) if ((await step()) === 0) break
  }
  const timer = setInterval(() => {
    running = clean()
  }, everyMs)
  timer.unref()
  return {
    /** Runs the work of one minute now. */
    clean,
    close: async () => {
      clearInterval(timer)
      await running
    },
  }
}
