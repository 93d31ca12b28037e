import type { Session } from './contract-types.ts'
import type { createEventStream } from './event-stream.ts'
import { isPast, type Moment, moment, plus } from './moment.ts'

/** A caller takes the answer to a question that another asked so short a time ago. */
const sharedMs = 1_000
/** What may happen while a question is under way before its answer is not kept, whatever happened. */
const mostMissed = 100

export interface CacheOptions {
  /**
   * How old an answer may be that no event has dropped, in milliseconds. Default 5,000. What events do not tell
   * (names, pictures, and roles while the service itself has lost the chat platform) may be that old.
   */
  readonly maxAgeMs?: number
  /** Sessions that are kept at most; those that nobody has asked for lately go first. Default 10,000, about 2 kB each. */
  readonly maxEntries?: number
}

interface Kept {
  readonly session: Session
  /** When it is too old or has expired, decided once: telling it takes a look at each clock and nothing else. */
  readonly until: Moment
  readonly keys: readonly string[]
  /** Somebody has asked for it since room was made the last time. */
  isUsed: boolean
}

interface Flight {
  readonly sharedUntil: Moment
  /** Counts of events and gaps when it was asked. */
  readonly eventsBefore: number
  readonly gapsBefore: number
  /** What was dropped since: its answer may be from before that. */
  readonly missed: Set<string>
  readonly answer: Promise<Session | undefined>
}

/**
 * Answers of validate, kept for as long as the stream of events vouches for them.
 *
 * What can happen when: an answer is kept under its session, its member in its server, and its token. An event
 * drops what it names, and is noted for the questions under way, whose answers may be from before it. A gap drops
 * everything. While the stream does not vouch for the last few seconds nothing is answered from here.
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
  /** Those in use are passed over once, so that a hit need not move what it finds to the end of a list. */
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
        if (gapsBefore > 0 && gaps === gapsBefore && isTrue && missed.size < mostMissed) {
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
    /** The session of a token, where it is known. The path that millions of questions a second take. */
    find(token: string): Session | undefined {
      stream.use()
      const found = kept.get(token)
      if (!found) return undefined
      const now = moment()
      if (isPast(found.until, now) || !stream.isFresh(now)) return undefined
      found.isUsed = true
      return found.session
    },
    /** Asks by `load`, and keeps the answer. Of those who ask at the same time one loads. */
    load(token: string, load: () => Promise<Session | undefined>, isShared: boolean) {
      if (!isShared) return ask(token, load).answer
      const other = shared.get(token)
      if (other && isShareable(other)) return other.answer
      const flight = ask(token, load)
      shared.set(token, flight)
      return flight.answer
    },
    /** Drops what is kept under a key, and whatever of it is being loaded. */
    forget(key: string) {
      events += 1
      for (const { missed } of underWay) if (missed.size < mostMissed) missed.add(key)
      for (const token of [...(tokensByKey.get(key) ?? [])]) drop(token)
    },
    forgetAll() {
      gaps += 1
      kept.clear()
      tokensByKey.clear()
    },
  }
}

/** Under what an answer is kept; see `keyOf`. */
const keysOf = (token: string, session: Session['session'], memberId: string) => [
  keyOf.token(token),
  ...keysOfSession(session, memberId),
]

/** What is told when a session changes. */
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
