import type { Session } from './contract-types.ts'
import type { createEventStream } from './event-stream.ts'
import { isPast, type Moment, moment, plus } from './moment.ts'

/** The time, in milliseconds, in which later callers can join a pending request. */
const sharedMs = 1_000
/** The maximum number of evicted keys that are recorded for a pending request. At the maximum, it is not cached. */
const maxEvictedKeys = 100

/** Options of `cache`. */
export interface CacheOptions {
  /**
   * The maximum age of a cached session in milliseconds. Default 5,000. An event evicts a session earlier. Some changes
   * have no event, and appear only after this time: names, pictures, and roles while the service has no connection to
   * Discord.
   */
  readonly maxAgeMs?: number
  /**
   * The maximum number of cached sessions. Default 10,000. Sessions that were not used recently are evicted first. A
   * session takes about 2 kB of memory.
   */
  readonly maxEntries?: number
}

interface CacheEntry {
  readonly session: Session
  /**
   * The moment at which the entry becomes invalid: at its maximum age, or at the expiry of the session if that is
   * earlier. Computed once, so that a lookup only compares clocks.
   */
  readonly until: Moment
  readonly keys: readonly string[]
  /** True if the entry was used since it was stored, or since `makeRoom` last spared it. */
  isUsed: boolean
}

interface PendingRequest {
  readonly sharedUntil: Moment
  /**
   * The counters `events` and `gaps` before the request. Once either has changed, no later caller joins the request.
   */
  readonly eventsBefore: number
  readonly gapsBefore: number
  /** The keys that were evicted since the request started. The response is not cached if it has one of them. */
  readonly evictedKeys: Set<string>
  readonly response: Promise<Session | undefined>
}

/**
 * Caches the sessions that `validate` receives, for as long as the event stream confirms them.
 *
 * - An entry is found by its token, and evicted by any of its keys: its token, its session, its member, and its member
 *   in its server. An event evicts the entries with the key that it names.
 * - An event also concerns requests that are pending, because their responses may be older than the event. So evicted
 *   keys are recorded for them.
 * - A gap, after which events may be missing, evicts everything.
 * - While no recent heartbeat confirms the stream, the cache returns nothing.
 */
export function createSessionCache(
  stream: Pick<ReturnType<typeof createEventStream>, 'use' | 'isFresh'>,
  { maxAgeMs = 5_000, maxEntries = 10_000 }: CacheOptions,
) {
  const entries = new Map<string, CacheEntry>()
  const tokensByKey = new Map<string, Set<string>>()
  const pending = new Set<PendingRequest>()
  const shared = new Map<string, PendingRequest>()
  /** The number of evictions by key so far. After an eviction, no later caller joins a request that was pending. */
  let events = 0
  /**
   * The number of gaps so far. After a gap, the response of a pending request is not cached, and no caller joins it.
   */
  let gaps = 0

  const drop = (token: string) => {
    for (const key of entries.get(token)?.keys ?? []) {
      const tokens = tokensByKey.get(key)
      tokens?.delete(token)
      if (tokens?.size === 0) tokensByKey.delete(key)
    }
    entries.delete(token)
  }
  /**
   * Evicts the oldest entries until there is room for one more. Spares each used entry once and moves it to the end
   * (the "second chance" algorithm), so that a hit need not reorder the map.
   */
  const makeRoom = () => {
    for (const [token, oldest] of entries) {
      if (entries.size < maxEntries) return
      if (!oldest.isUsed) {
        drop(token)
        continue
      }
      oldest.isUsed = false
      entries.delete(token)
      entries.set(token, oldest)
    }
  }
  const store = (token: string, response: Session, requestedAt: Moment) => {
    drop(token)
    makeRoom()
    const { session, member } = response
    const keys = keysOf(token, session, member.id)
    const { monotonicMs, wallMs } = plus(requestedAt, maxAgeMs)
    const until = { monotonicMs, wallMs: Math.min(wallMs, Date.parse(session.expiresAt)) }
    entries.set(token, { session: response, until, keys, isUsed: false })
    for (const key of keys) tokensByKey.set(key, (tokensByKey.get(key) ?? new Set()).add(token))
  }
  const startLoad = (token: string, load: () => Promise<Session | undefined>): PendingRequest => {
    const evictedKeys = new Set<string>()
    const requestedAt = moment()
    const gapsBefore = gaps
    const response = load()
      .then((response) => {
        if (!response) return undefined
        const isCurrent = keysOf(token, response.session, response.member.id).every(
          (key) => !evictedKeys.has(key),
        )
        // The first gap is the start of the stream. Events before it never arrive, so a response that was requested
        // before the start is not cached.
        const hasStreamStarted = gapsBefore > 0
        if (hasStreamStarted && gaps === gapsBefore && isCurrent && evictedKeys.size < maxEvictedKeys) {
          store(token, response, requestedAt)
        }
        return response
      })
      .finally(() => {
        pending.delete(request)
        if (shared.get(token) === request) shared.delete(token)
      })
    const sharedUntil = plus(requestedAt, sharedMs)
    const request: PendingRequest = {
      sharedUntil,
      eventsBefore: events,
      gapsBefore,
      evictedKeys,
      response,
    }
    pending.add(request)
    return request
  }
  const isShareable = ({ sharedUntil, eventsBefore, gapsBefore }: PendingRequest) =>
    events === eventsBefore && gaps === gapsBefore && !isPast(sharedUntil, moment())

  return {
    /**
     * Returns the cached session of a token, if the stream still confirms it. This path serves millions of calls a
     * second.
     */
    find(token: string): Session | undefined {
      stream.use()
      const found = entries.get(token)
      if (!found) return undefined
      const now = moment()
      if (isPast(found.until, now) || !stream.isFresh(now)) return undefined
      found.isUsed = true
      return found.session
    },
    /**
     * Loads a session and caches it. With `isShared`, callers of the same token share one `load` if they arrive while
     * it is pending and no event has happened in the meantime.
     */
    load(token: string, load: () => Promise<Session | undefined>, isShared: boolean) {
      if (!isShared) return startLoad(token, load).response
      const other = shared.get(token)
      if (other && isShareable(other)) return other.response
      const request = startLoad(token, load)
      shared.set(token, request)
      return request.response
    },
    /** Evicts the entries with a key, and prevents pending loads of such entries from being cached. */
    evict(key: string) {
      events += 1
      for (const { evictedKeys } of pending) if (evictedKeys.size < maxEvictedKeys) evictedKeys.add(key)
      for (const token of [...(tokensByKey.get(key) ?? [])]) drop(token)
    },
    /** Evicts everything after a gap, and prevents all pending loads from being cached. */
    evictAll() {
      gaps += 1
      entries.clear()
      tokensByKey.clear()
    },
  }
}

/** Lists the keys by which an entry can be evicted. */
const keysOf = (token: string, session: Session['session'], memberId: string) => [
  keyOf.token(token),
  ...keysOfSession(session, memberId),
]

/** Lists the keys that events about a session evict. */
export const keysOfSession = ({ id, serverId }: Session['session'], memberId: string): readonly string[] => [
  keyOf.session(id),
  keyOf.member(memberId),
  keyOf.membership(memberId, serverId),
]

/** The keys of cache entries and watchers. The prefixes keep the kinds apart. */
export const keyOf = {
  token: (token: string) => `token ${token}`,
  session: (id: string) => `session ${id}`,
  member: (id: string) => `member ${id}`,
  membership: (memberId: string, serverId: string) => `member ${memberId} ${serverId}`,
}
