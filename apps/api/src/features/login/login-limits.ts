import type { Database } from '#platform/db/database'
import { tooMany } from '#platform/http/router'
import type { RefundableQuota } from '#platform/rate-limit/refundable-quota'
import { trimAuthRequests } from './store.ts'

/** Trim once per so many inserts. */
const trimEvery = 1_000

/** Something that an address has open. */
export interface Permit {
  /** It ended well. */
  giveBack(): Promise<void>
}

/**
 * What strangers may begin. Opening a login and asking the platform each take one from the address that does it, and
 * a login that completes gives back what it took: so many honest logins as there are may come from one address, and
 * only what is begun and never completed adds up.
 */
export interface LoginLimits {
  /** @throws RATE_LIMITED */
  take(address: string): Promise<Permit>
  /** What an earlier request took, so many milliseconds ago. */
  takenAgo(address: string, ms: number): Permit
  /** A login was stored: the oldest of the addresses that have most are forgotten once there are too many. */
  stored(): Promise<void>
}

interface LoginLimitDeps {
  readonly db: Database
  readonly limiter: RefundableQuota
  /** Logins that are kept while they wait for the platform. */
  readonly maxAuthRequests: number
}

export function createLoginLimits({ db, limiter, maxAuthRequests }: LoginLimitDeps): LoginLimits {
  let storedSinceTrim = 0
  return {
    async take(address) {
      const verdict = await limiter.take(address)
      if (!verdict.allowed) throw tooMany(limiter, verdict)
      return { giveBack: () => limiter.giveBack(address, verdict.takenAtMs) }
    },
    takenAgo(address, ms) {
      const takenAtMs = limiter.momentAgo(ms)
      return { giveBack: () => limiter.giveBack(address, takenAtMs) }
    },
    async stored() {
      storedSinceTrim += 1
      if (storedSinceTrim < trimEvery) return
      storedSinceTrim = 0
      await trimAuthRequests(db, maxAuthRequests)
    },
  }
}
