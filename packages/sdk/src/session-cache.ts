import type { Session } from './contract-types.ts'
import type { createEventStream } from './event-stream.ts'
import { isPast, type Moment, moment, plus } from './moment.ts'

/** Milliseconds for which later callers share a pending request. */
const sharedMs = 1_000
/** The maximum number of evicted keys recorded for a pending request. With this many, its response is not cached. */
const maxEvictedKeys = 100

/** Options of `cache`. */
export interface CacheOptions {
  /**
   * The maximum age of a cached session in milliseconds, unless an event evicts it earlier. Default 5,000. Some changes
   * have no event, and can take that long to appear: names, pictures, and roles while the service has no connection to
   * the chat platform.
   */
  readonly maxAgeMs?: number
  /**
   * The maximum number of cached sessions. Sessions that were not used recently are evicted first. Default 10,000,
   * about 2 kB each.
   */
  readonly maxEntries?: number
}

interface CacheEntry {
  readonly session: Session
  /**
   * The earlier of the entry's maximum age and the session's expiry. Computed once, so that a lookup only compares
   * clocks.
   */
  readonly until: Moment
  readonly keys: readonly string[]
  /** True if the entry was used since it was stored, or since `makeRoom` last spared it. */
  isUsed: boolean
}

interface PendingRequest {
  readonly sharedUntil: Moment
  /** The numbers of evictions and gaps before the request. If one has changed, the response is no longer shared. */
  readonly eventsBefore: number
  readonly gapsBefore: number
  /** Keys evicted since the request started. Its response may be older than these events. */
  readonly evictedKeys: Set<string>
  readonly answer: Promise<Session | undefined>
}

/**
 * Caches responses of `validate` while the event stream confirms them.
 *
 * A response is stored under its session, its member in its server, and its token. An event evicts the entries that it
 * names. It is also recorded for pending requests, because their responses may be older than the event. A gap, after
 * which events may be missing, evicts everything. While the stream does not confirm the last few seconds, the cache
 * returns nothing.
 */
export function createSessionCache(
  stream: Pick<ReturnType<typeof createEventStream>, 'use' | 'isFresh'>,
  { maxAgeMs = 5_000, maxEntries = 10_000 }: CacheOptions,
) {
  const entries = new Map<string, CacheEntry>()
  const tokensByKey = new Map<string, Set<string>>()
  const pending = new Set<PendingRequest>()
  const shared = new Map<string, PendingRequest>()
  /** The number of events. After one, no later caller shares a request that was pending. */
  let events = 0
  /** The number of gaps. After one, the response of a request that was pending is neither cached nor shared. */
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
  const store = (token: string, answer: Session, requestedAt: Moment) => {
    drop(token)
    makeRoom()
    const { session, member } = answer
    const keys = keysOf(token, session, member.id)
    const { monotonicMs, wallMs } = plus(requestedAt, maxAgeMs)
    const until = { monotonicMs, wallMs: Math.min(wallMs, Date.parse(session.expiresAt)) }
    entries.set(token, { session: answer, until, keys, isUsed: false })
    for (const key of keys) tokensByKey.set(key, (tokensByKey.get(key) ?? new Set()).add(token))
  }
  const startLoad = (token: string, load: () => Promise<Session | undefined>): PendingRequest => {
    const evictedKeys = new Set<string>()
    const requestedAt = moment()
    const gapsBefore = gaps
    const answer = load()
      .then((answer) => {
        if (!answer) return undefined
        const isCurrent = keysOf(token, answer.session, answer.member.id).every(
          (key) => !evictedKeys.has(key),
        )
        // The stream reports its first event ID as a gap. Events before that gap never arrive, so a response that was
        // requested earlier is not cached.
        const hasStreamStarted = gapsBefore > 0
        if (hasStreamStarted && gaps === gapsBefore && isCurrent && evictedKeys.size < maxEvictedKeys) {
          store(token, answer, requestedAt)
        }
        return answer
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
      answer,
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
    /** Loads the session and caches it. Concurrent callers share one `load`. */
    load(token: string, load: () => Promise<Session | undefined>, isShared: boolean) {
      if (!isShared) return startLoad(token, load).answer
      const other = shared.get(token)
      if (other && isShareable(other)) return other.answer
      const request = startLoad(token, load)
      shared.set(token, request)
      return request.answer
    },
    /** Evicts the entries of a key, and invalidates its pending loads. */
    evict(key: string) {
      events += 1
      for (const { evictedKeys } of pending) if (evictedKeys.size < maxEvictedKeys) evictedKeys.add(key)
      for (const token of [...(tokensByKey.get(key) ?? [])]) drop(token)
    },
    /** Evicts everything after a gap, and invalidates all pending loads. The first gap is the start of the stream. */
    evictAll() {
      gaps += 1
      entries.clear()
      tokensByKey.clear()
    },
  }
}

/** Lists the keys under which a response is stored; see `keyOf`. */
const keysOf = (token: string, session: Session['session'], memberId: string) => [
  keyOf.token(token),
  ...keysOfSession(session, memberId),
]

/** Lists the keys under which a change of a session is announced. */
export const keysOfSession = ({ id, serverId }: Session['session'], memberId: string): readonly string[] => [
  keyOf.session(id),
  keyOf.member(memberId),
  keyOf.membership(memberId, serverId),
]

export const keyOf = {
  token: (token: string) => `token ${token}`,
  session: (id: string) => `session ${id}`,
  member: (id: string) => `member ${id}`,
  membership: (memberId: string, serverId: string) => `member ${memberId} ${serverId}`,
}
