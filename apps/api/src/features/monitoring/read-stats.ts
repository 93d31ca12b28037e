import type { monitoring } from '@rolecall/contract'
import { singleFlight } from '#platform/async'
import type { Deps } from '../../deps.ts'
import { countAll } from './read-store.ts'

/**
 * Creates the function that returns the statistics. It caches them for `statsTtlMs`, and counts anew when the setting
 * `memberActivityThresholdDays` has changed.
 */
export function createStats({ db, settings }: Pick<Deps, 'db' | 'settings'>) {
  let kept: { readonly stats: monitoring.Stats; readonly at: number } | undefined

  // Concurrent requests share one count.
  const count = singleFlight(async (memberActivityThresholdDays: number): Promise<monitoring.Stats> => {
    const at = performance.now()
    const counted = await countAll(db, memberActivityThresholdDays)
    if (!counted) throw new Error('A statement without a table returned no row.')
    const { asOf, ...numbers } = counted
    const stats = { ...numbers, memberActivityThresholdDays, asOf: asOf.toISOString() }
    kept = { stats, at }
    return stats
  })
  return (): Promise<monitoring.Stats> => {
    const { statsTtlMs, memberActivityThresholdDays } = settings.current()
    const isFresh =
      kept &&
      performance.now() - kept.at < statsTtlMs &&
      kept.stats.memberActivityThresholdDays === memberActivityThresholdDays
    if (kept && isFresh) return Promise.resolve(kept.stats)
    return count(memberActivityThresholdDays)
  }
}
