import { type FreshnessTerms, isFresh, isServable, type RoleAge } from '#mirror/freshness'
import type { Refreshed } from '#mirror/mirror-deps'
import { withTimeout } from '#platform/async'
import { ApiError } from '#platform/http/api-error'
import { chatPlatformUnavailable } from '#platform/http/problem'

/** The longest time that a response waits for the chat platform. */
const maxWaitMs = 2_000

/** A request for the roles of one member. */
interface RolesRequest<T> {
  readonly known: T | undefined
  readonly terms: FreshnessTerms
  /** Requests the roles from the chat platform, and stores them in the mirror. */
  readonly refresh: () => Promise<Refreshed>
  /** Reads the mirror again, once the platform has responded. */
  readonly reread: () => Promise<T | undefined>
}

/**
 * A mirrored value, and the source of its roles. The source is ignored while the gateway keeps the server's mirror
 * live.
 */
interface Freshest<T> {
  readonly known: T
  readonly source: 'rest' | 'mirror'
}

/**
 * Returns roles that are fresh enough for a response. Known roles that are fresh are returned immediately. Otherwise,
 * requests them from the chat platform and waits up to two seconds. If the platform does not respond in time, returns
 * the mirrored roles, unless they are too old. The result's `known` is undefined if there is no such member.
 * @throws CHAT_PLATFORM_UNAVAILABLE if the platform does not respond, and the mirrored roles are missing or too old
 */
export async function freshestRoles<T extends RoleAge>(
  request: RolesRequest<T>,
): Promise<Freshest<T | undefined>> {
  const { known, terms, refresh, reread } = request
  if (known && isFresh(known, terms)) return { known, source: 'rest' }
  if ((await withOutageAsFailed(refresh)) === 'fresh') return { known: await reread(), source: 'rest' }
  if (!known || !isServable(known, terms)) throw chatPlatformUnavailable()
  return { known, source: 'mirror' }
}

/**
 * Returns the result of a refresh, or `unavailable` if it fails or takes too long: the mirror then has the last known
 * roles. Rethrows an `ApiError`, which refuses the client's request.
 */
async function withOutageAsFailed(refresh: () => Promise<Refreshed>): Promise<Refreshed> {
  try {
    return await withTimeout(refresh(), maxWaitMs)
  } catch (error) {
    if (error instanceof ApiError) throw error
    return 'unavailable'
  }
}
