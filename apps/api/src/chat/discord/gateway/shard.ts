import { isOfPlatform, isResumable } from './refusals.ts'

/**
 * How much one connection can be relied on. A socket that says nothing looks the same whether nothing
 * happens or nobody is there, so it is asked: an answered question proves that everything before it arrived.
 */
export interface ShardHealth {
  isReady: boolean
  /** When it was last ready, or began to try. */
  lostAt: number
  /** Until when it waits for leave to begin a session: no fault of the connection's. */
  waitsUntil: number
  /** When the platform last said anything on a connection that is not ready yet. */
  greetedAt: number | undefined
  /** The present connection asked to resume a session, and has no answer yet. */
  isResuming: boolean
  /** Close code of the platform's after which the session is being resumed. */
  interruptedBy: number | undefined
  /** Sockets that failed since it was last ready. */
  failures: number
  /** When the question was sent that nobody has answered yet. */
  askedAt: number | undefined
  /** When the last answered question was sent. */
  provenAt: number | undefined
  /** How long the last answer took. */
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
  // Replayed events may still be on their way: only the next answer proves that they have arrived.
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

/** How long the present question has been without an answer. */
export const silentForMs = ({ askedAt }: ShardHealth): number =>
  askedAt === undefined ? 0 : performance.now() - askedAt

/** How long a connection has been owing us an answer since it last said something. */
export const unansweredForMs = ({ isReady, greetedAt }: ShardHealth): number =>
  isReady || greetedAt === undefined ? 0 : performance.now() - greetedAt
