import type { Database } from '#platform/db/database'
import { tooMany } from '#platform/http/router'
import type { ReturnableLimiter } from '#platform/rate-limit/returnable-limiter'
import { trimAuthRequests } from './store.ts'

/** So many more are stored before the oldest are looked for. */
const trimEvery = 1_000

/** Something that an address has open. */
export interface Taken {
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
  take(address: string): Promise<Taken>
  /** Gives back what an earlier request took. */
  giveBack(address: string | null, takenAt: Date): Promise<void>
  /** A login was stored: the oldest of the addresses that have most are forgotten once there are too many. */
  stored(): Promise<void>
}

interface Needs {
  readonly db: Database
  readonly limiter: ReturnableLimiter
  /** Logins that are kept while they wait for the platform. */
  readonly maxAuthRequests: number
}

export function createLoginLimits({ db, limiter, maxAuthRequests }: Needs): LoginLimits {
  let storedSinceTrim = 0
  return {
    async take(address) {
      const verdict = await limiter.take(address)
      if (!verdict.allowed) throw tooMany(limiter, verdict)
      return { giveBack: () => limiter.giveBack(address, verdict.takenAtMs) }
    },
    async giveBack(address, takenAt) {
      if (address !== null) await limiter.giveBack(address, takenAt.getTime())
    },
    async stored() {
      storedSinceTrim += 1
      if (storedSinceTrim < trimEvery) return
      storedSinceTrim = 0
      await trimAuthRequests(db, maxAuthRequests)
    },
  }
}
