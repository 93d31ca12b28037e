import { isOfPlatform, isResumable } from './refusals.ts'

/**
 * The state of one gateway connection. A connection without events looks the same whether nothing happens or it is
 * broken. So heartbeats are sent: the answer to a heartbeat proves that everything before it has arrived.
 */
export interface ShardHealth {
  isReady: boolean
  /** The time at which the connection was last ready, or at which the first attempt began. */
  lostAt: number
  /** The end of the wait for permission to begin a session. That wait is not the fault of the connection. */
  waitsUntil: number
  /** The time of Discord's last message, while the connection is not ready yet. */
  greetedAt: number | undefined
  /** True if a resume was requested, and not answered yet. */
  isResuming: boolean
  /** The close code of Discord that made the resume necessary. */
  interruptedBy: number | undefined
  /** The number of sockets that have failed since the connection was last ready. */
  failures: number
  /** The time at which the heartbeat was sent that is not answered yet. */
  askedAt: number | undefined
  /** The time at which the last answered heartbeat was sent. */
  provenAt: number | undefined
  /** The latency of the last heartbeat in milliseconds. */
  latencyMs: number | undefined
}

/** Creates the state of a connection that is being opened. */
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

/** Records that the session has begun or was resumed. */
export function markReady(shard: ShardHealth): void {
  // Repeated events may still be on their way. Only the next answer proves that they have arrived.
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

/** Records that the connection was lost. */
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

/** Records the answer to the current heartbeat. */
export function markAnswered(shard: ShardHealth): void {
  if (shard.askedAt === undefined) return
  shard.provenAt = shard.askedAt
  shard.latencyMs = performance.now() - shard.askedAt
  shard.askedAt = undefined
}

/**
 * Returns the close code with which Discord has ended a session. Returns undefined if the network or this service has
 * closed the connection, or if the session can be resumed. A resume that Discord refuses ends the session, and counts
 * for the close code that made the resume necessary.
 */
export function endedBy(shard: ShardHealth, code: number): number | undefined {
  const wasGreeted = shard.isReady || shard.greetedAt !== undefined
  if (!wasGreeted || !isOfPlatform(code)) return undefined
  if (isResumable(code) && (shard.isReady || shard.isResuming)) {
    shard.interruptedBy = code
    return undefined
  }
  // "Invalid session" is reported as a close with 1000.
  return shard.isResuming && code === 1_000 ? shard.interruptedBy : code
}

/** Returns how long the current heartbeat has been unanswered, in milliseconds. */
export const silentForMs = ({ askedAt }: ShardHealth): number =>
  askedAt === undefined ? 0 : performance.now() - askedAt

/** Returns the time in milliseconds since the last message of a connection that is not ready. */
export const unansweredForMs = ({ isReady, greetedAt }: ShardHealth): number =>
  isReady || greetedAt === undefined ? 0 : performance.now() - greetedAt
