import type { Session } from './contract-types.ts'
import type { createEventStream } from './event-stream.ts'
import { isPast, type Moment, moment, plus } from './moment.ts'

/** How long, in milliseconds, later callers share a request that is under way. */
const sharedMs = 1_000
/** The number of events that are noted during a request. Beyond it the answer is not cached. */
const maxMissed = 100

/** Options of `cache`. */
export interface CacheOptions {
  /**
   * The maximum age of an answer in milliseconds, if no event evicts it earlier. Default 5,000. Changes without an
   * event can stay unnoticed that long: names, pictures, and roles while the service has no connection to the chat
   * platform.
   */
  readonly maxAgeMs?: number
  /**
   * The maximum number of sessions in memory; those not used lately are evicted first. Default 10,000, about 2 kB each.
   */
  readonly maxEntries?: number
}

interface Kept {
  readonly session: Session
  /** The time of its maximum age or expiry, computed once: a check only reads each clock. */
  readonly until: Moment
  readonly keys: readonly string[]
  /** True if it was used since the last eviction. */
  isUsed: boolean
}

interface Flight {
  readonly sharedUntil: Moment
  /** The counts of events and gaps when the request started. */
  readonly eventsBefore: number
  readonly gapsBefore: number
  /** Keys that were evicted since: the answer may predate that. */
  readonly missed: Set<string>
  readonly answer: Promise<Session | undefined>
}

/**
 * Caches the answers of validate while the event stream confirms them.
 *
 * An answer is stored under its session, its member in its server, and its token. An event evicts the entries that it
 * names, and is noted for the requests under way, which may return an older state. A gap evicts everything. While the
 * stream does not confirm the last few seconds, nothing is answered from memory.
 */
export function createSessionCache(
  stream: Pick<ReturnType<typeof createEventStream>, 'use' | 'isFresh'>,
  { maxAgeMs = 5_000, maxEntries = 10_000 }: CacheOptions,
) {
  const kept = new Map<string, Kept>()
  const tokensByKey = new Map<string, Set<string>>()
  const underWay = new Set<Flight>()
  const shared = new Map<string, Flight>()
  let events = 0
  let gaps = 0

  const drop = (token: string) => {
    for (const key of kept.get(token)?.keys ?? []) {
      const tokens = tokensByKey.get(key)
      tokens?.delete(token)
      if (tokens?.size === 0) tokensByKey.delete(key)
    }
    kept.delete(token)
  }
  /** Entries in use are skipped once, so that a hit need not move its entry to the end of a list. */
  const makeRoom = () => {
    for (const [token, oldest] of kept) {
      if (kept.size < maxEntries) return
      if (!oldest.isUsed) {
        drop(token)
        continue
      }
      oldest.isUsed = false
      kept.delete(token)
      kept.set(token, oldest)
    }
  }
  const keep = (token: string, answer: Session, askedAt: Moment) => {
    drop(token)
    makeRoom()
    const { session, member } = answer
    const keys = keysOf(token, session, member.id)
    const { monotonicMs, wallMs } = plus(askedAt, maxAgeMs)
    const until = { monotonicMs, wallMs: Math.min(wallMs, Date.parse(session.expiresAt)) }
    kept.set(token, { session: answer, until, keys, isUsed: false })
    for (const key of keys) tokensByKey.set(key, (tokensByKey.get(key) ?? new Set()).add(token))
  }
  const ask = (token: string, load: () => Promise<Session | undefined>): Flight => {
    const missed = new Set<string>()
    const askedAt = moment()
    const gapsBefore = gaps
    const answer = load()
      .then((answer) => {
        if (!answer) return undefined
        const isTrue = keysOf(token, answer.session, answer.member.id).every((key) => !missed.has(key))
        if (gapsBefore > 0 && gaps === gapsBefore && isTrue && missed.size < maxMissed) {
          keep(token, answer, askedAt)
        }
        return answer
      })
      .finally(() => {
        underWay.delete(flight)
        if (shared.get(token) === flight) shared.delete(token)
      })
    const sharedUntil = plus(askedAt, sharedMs)
    const flight: Flight = { sharedUntil, eventsBefore: events, gapsBefore, missed, answer }
    underWay.add(flight)
    return flight
  }
  const isShareable = ({ sharedUntil, eventsBefore, gapsBefore }: Flight) =>
    events === eventsBefore && gaps === gapsBefore && !isPast(sharedUntil, moment())

  return {
    /** Returns the cached session of a token. This path serves millions of calls a second. */
    find(token: string): Session | undefined {
      stream.use()
      const found = kept.get(token)
      if (!found) return undefined
      const now = moment()
      if (isPast(found.until, now) || !stream.isFresh(now)) return undefined
      found.isUsed = true
      return found.session
    },
    /** Loads the session and caches it. Concurrent callers share one `load`. */
    load(token: string, load: () => Promise<Session | undefined>, isShared: boolean) {
      if (!isShared) return ask(token, load).answer
      const other = shared.get(token)
      if (other && isShareable(other)) return other.answer
      const flight = ask(token, load)
      shared.set(token, flight)
      return flight.answer
    },
    /** Evicts the entries of a key, and invalidates the loads of it that are under way. */
    forget(key: string) {
      events += 1
      for (const { missed } of underWay) if (missed.size < maxMissed) missed.add(key)
      for (const token of [...(tokensByKey.get(key) ?? [])]) drop(token)
    },
    forgetAll() {
      gaps += 1
      kept.clear()
      tokensByKey.clear()
    },
  }
}

/** Lists the keys of an answer; see `keyOf`. */
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
