import { setTimeout as sleep } from 'node:timers/promises'

/** The platform allows one new session in 5 s for each of the parallel lanes that it grants. */
export const identifyEveryMs = 5_500

/**
 * Spaces new sessions, across all managers that are made one after another. The library's own throttler
 * begins anew with each manager, and goes on to identify when the connection is lost while it waits.
 */
export function createIdentifyThrottle(everyMs: number) {
  const freeAt = new Map<number, number>()
  return async (lane: number, signal: AbortSignal): Promise<void> => {
    const now = performance.now()
    const at = Math.max(now, freeAt.get(lane) ?? 0)
    freeAt.set(lane, at + everyMs)
    if (at > now) await sleep(at - now, undefined, { signal })
  }
}
