import { DatabaseUnavailable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { currentHorizon, deleteExpired, type Retention } from './store.ts'

const everyMs = 60_000
/** Readers look at the change log four times a second. One that did not for so long loses its lease, and starts anew. */
const trimBehindMs = 10 * 60_000
const maxBatches = 100

interface HousekeepingDeps {
  readonly trimChanges: (horizon: string) => Promise<unknown>
  readonly endKeys: () => Promise<unknown>
  /** What admins decided; asked for anew each time. */
  readonly retention: () => Retention
  /** Of what others own: each takes away some of what is too old, and answers how much. */
  readonly steps: readonly (() => Promise<number>)[]
}

/** Deletes what has expired, once a minute, in small batches. Every instance may: they only find less to do. */
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
    /** Does the work of one minute now. */
    clean,
    close: async () => {
      clearInterval(timer)
      await running
    },
  }
}
