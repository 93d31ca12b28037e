import { type FreshnessTerms, isFresh, isServable, type Mirrored } from '#mirror/freshness'
import type { Refreshed } from '#mirror/mirror-deps'
import { withTimeout } from '#platform/async'
import { ApiError } from '#platform/http/api-error'
import { chatPlatformUnavailable } from '#platform/http/problem'

/** The longest wait for the chat platform. */
const maxWaitMs = 2_000

interface Asked<T> {
  readonly known: T | undefined
  readonly terms: FreshnessTerms
  /** Fetches the roles from the chat platform. */
  readonly refresh: () => Promise<Refreshed>
  /** Reads the mirror after the request to the platform. */
  readonly reread: () => Promise<T | undefined>
}

/** A mirrored value, and the source of its roles if the gateway does not vouch for them. */
interface Freshest<T> {
  readonly known: T
  readonly source: 'rest' | 'mirror'
}

/**
 * Returns roles as fresh as a response needs them: the known ones if they are fresh, else the platform's answer if
 * it comes within two seconds, else the mirrored ones. `known` is undefined if there is no such member.
 * @throws CHAT_PLATFORM_UNAVAILABLE if the platform does not answer, and the mirrored roles are missing or too old
 */
export async function freshestRoles<T extends Mirrored>(asked: Asked<T>): Promise<Freshest<T | undefined>> {
  const { known, terms, refresh, reread } = asked
  if (known && isFresh(known, terms)) return { known, source: 'rest' }
  if ((await answered(refresh)) === 'fresh') return { known: await reread(), source: 'rest' }
  if (!known || !isServable(known, terms)) throw chatPlatformUnavailable()
  return { known, source: 'mirror' }
}

/**
 * Returns the result of a refresh that ends in time. Throws if the request must not be sent. Any other failure leaves
 * the mirror unchanged.
 */
async function answered(refresh: () => Promise<Refreshed>): Promise<Refreshed> {
  try {
    return await withTimeout(refresh(), maxWaitMs)
  } catch (error) {
    if (error instanceof ApiError) throw error
    return 'unavailable'
  }
}
