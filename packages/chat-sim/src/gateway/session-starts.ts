import type { Clock } from '../clock.ts'

const dayMs = 86_400_000
const total = 1_000

/**
 * Counts IDENTIFYs, of which a bot may send 1,000 per day. Resuming does not count. Also recommends a number of shards.
 */
export function createSessionStarts(clock: Clock) {
  let used = 0
  let resetAt = 0
  let shards = 1
  const renew = () => {
    if (clock.now() < resetAt) return
    used = 0
    resetAt = clock.now() + dayMs
  }
  return {
    note: () => {
      renew()
      used++
    },
    state: () => {
      renew()
      return {
        total,
        remaining: Math.max(0, total - used),
        reset_after: resetAt - clock.now(),
        max_concurrency: 1,
      }
    },
    /** Sets how many IDENTIFYs remain until the count is reset. */
    leave: (remaining: number, resetAfterMs = dayMs) => {
      used = total - remaining
      resetAt = clock.now() + resetAfterMs
    },
    /** Returns the recommended number of connections. */
    shards: () => shards,
    recommend: (count: number) => {
      shards = count
    },
    clear: () => {
      resetAt = 0
      shards = 1
    },
  }
}
