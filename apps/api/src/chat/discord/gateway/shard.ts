import { isOfPlatform, isResumable } from './refusals.ts'

/**
 * The reliability of one connection. A silent socket is the same for an idle platform and for a lost one, so
 * heartbeats are sent: an answered heartbeat proves that everything before it arrived.
 */
export interface ShardHealth {
  isReady: boolean
  /** The time at which it was last ready, or began to connect. */
  lostAt: number
  /** The end of the wait for permission to begin a session, which is no fault of the connection. */
  waitsUntil: number
  /** The time of the platform's last message on a connection that is not ready yet. */
  greetedAt: number | undefined
  /** True if the current connection requested to resume a session, and has no answer yet. */
  isResuming: boolean
  /** The platform's close code after which the session is being resumed. */
  interruptedBy: number | undefined
  /** The number of sockets that failed since it was last ready. */
  failures: number
  /** The time at which the unanswered heartbeat was sent. */
  askedAt: number | undefined
  /** The time at which the last answered heartbeat was sent. */
  provenAt: number | undefined
  /** The latency of the last heartbeat. */
  latencyMs: number | undefined
}

export const newShard = (): ShardHealth => ({
  isReady: false,
  lostAt: performance.now(),
  waitsUntil: 0,
  greetedAt: undefined,
  isResuming: false,
  interruptedBy: undefined,
  failures: 0,
  askedAt: undefined,
  provenAt: undefined,
  latencyMs: undefined,
})

export function markReady(shard: ShardHealth): void {
  // Replayed events may still be in transit: only the next answer proves that they have arrived.
  Object.assign(shard, {
    isReady: true,
    greetedAt: undefined,
    isResuming: false,
    interruptedBy: undefined,
    failures: 0,
    askedAt: undefined,
    provenAt: undefined,
  })
}

export function markLost(shard: ShardHealth): void {
  if (shard.isReady) shard.lostAt = performance.now()
  Object.assign(shard, {
    isReady: false,
    greetedAt: undefined,
    isResuming: false,
    askedAt: undefined,
    provenAt: undefined,
    latencyMs: undefined,
  })
}

export function markAnswered(shard: ShardHealth): void {
  if (shard.askedAt === undefined) return
  shard.provenAt = shard.askedAt
  shard.latencyMs = performance.now() - shard.askedAt
  shard.askedAt = undefined
}

/**
 * Returns the close code by which the platform ended the session, or undefined when the network or this service ended it. A
 * session that can be resumed has not ended; a refused resume ends it, for the reason that made the resume necessary.
 */
export function endedBy(shard: ShardHealth, code: number): number | undefined {
  const wasGreeted = shard.isReady || shard.greetedAt !== undefined
  if (!wasGreeted || !isOfPlatform(code)) return undefined
  if (isResumable(code) && (shard.isReady || shard.isResuming)) {
    shard.interruptedBy = code
    return undefined
  }
  // "Invalid session" counts as a close with 1000.
  return shard.isResuming && code === 1_000 ? shard.interruptedBy : code
}

/** Returns the time for which the current heartbeat has been unanswered. */
export const silentForMs = ({ askedAt }: ShardHealth): number =>
  askedAt === undefined ? 0 : performance.now() - askedAt

/** Returns the time since the last message of a connection that owes an answer. */
export const unansweredForMs = ({ isReady, greetedAt }: ShardHealth): number =>
  isReady || greetedAt === undefined ? 0 : performance.now() - greetedAt
