import type { Database } from '#platform/db/database'
import { tooMany } from '#platform/http/router'
import type { RefundableQuota } from '#platform/rate-limit/refundable-quota'
import type { LoginLimits } from '../../deps.ts'
import { trimAuthRequests } from './store.ts'

/** The number of sign-ins that this process stores between two trims. */
const trimEvery = 1_000

interface LoginLimitDeps {
  readonly db: Database
  readonly limiter: RefundableQuota
  /** The maximum number of sign-ins that are stored while they wait for the platform. */
  readonly maxAuthRequests: number
}

/** Creates the limits of sign-ins, which `LoginLimits` in `deps.ts` describes. */
export function createLoginLimits({ db, limiter, maxAuthRequests }: LoginLimitDeps): LoginLimits {
  let storedSinceTrim = 0
  return {
    async acquire(address) {
      const verdict = await limiter.consume(address)
      if (!verdict.allowed) throw tooMany(limiter, verdict)
      return { release: () => limiter.refund(address, verdict.consumedAtMs) }
    },
    earlierPermit(address, ageMs) {
      const consumedAtMs = limiter.timeAgo(ageMs)
      return { release: () => limiter.refund(address, consumedAtMs) }
    },
    async countStored() {
      storedSinceTrim += 1
      if (storedSinceTrim < trimEvery) return
      storedSinceTrim = 0
      await trimAuthRequests(db, maxAuthRequests)
    },
  }
}
