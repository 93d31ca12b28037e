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
  /** Asks the chat platform. */
  readonly refresh: () => Promise<Refreshed>
  /** Reads what is mirrored, after the platform was asked. */
  readonly reread: () => Promise<T | undefined>
}

/** What was asked about, and where its roles come from when the gateway does not vouch for them. */
interface Freshest<T> {
  readonly known: T
  readonly source: 'rest' | 'mirror'
}

/**
 * Returns roles as fresh as a response needs them: those that are known if they are fresh, else what the platform says
 * within two seconds, else what is mirrored. `known` is undefined if there is no such member.
 * @throws CHAT_PLATFORM_UNAVAILABLE if the platform says nothing, and the mirrored roles are missing or too old
 */
export async function freshestRoles<T extends Mirrored>(asked: Asked<T>): Promise<Freshest<T | undefined>> {
  const { known, terms, refresh, reread } = asked
  if (known && isFresh(known, terms)) return { known, source: 'rest' }
  if ((await answered(refresh)) === 'fresh') return { known: await reread(), source: 'rest' }
  if (!known || !isServable(known, terms)) throw chatPlatformUnavailable()
  return { known, source: 'mirror' }
}

/** Returns what the platform said in time. A refusal to ask is thrown; any other failure leaves what is mirrored. */
async function answered(refresh: () => Promise<Refreshed>): Promise<Refreshed> {
  try {
    return await withTimeout(refresh(), maxWaitMs)
  } catch (error) {
    if (error instanceof ApiError) throw error
    return 'unavailable'
  }
}
