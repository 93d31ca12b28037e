import type { Clock } from '../clock.ts'

const dayMs = 86_400_000
const total = 1_000

/** Counts IDENTIFYs: 1,000 a day for a bot. Resuming is free. Also recommends the number of connections. */
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
    /** Sets the number that is left until the count is reset. */
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
