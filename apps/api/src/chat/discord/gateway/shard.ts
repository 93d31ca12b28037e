import { isDiscordCloseCode, isResumable } from './refusals.ts'

/**
 * The state of a shard, which is one gateway connection. An idle connection and a broken one look the same. Heartbeats
 * tell them apart: an acknowledged heartbeat proves that all earlier events have arrived. All times are from
 * `performance.now()`.
 */
export interface ShardState {
  isReady: boolean
  /** The time at which the current attempt to become ready began: at creation, a disconnect, or an IDENTIFY. */
  attemptStartedAt: number
  /**
   * The time at which a new session may be requested (IDENTIFY). The time limit of the attempt begins only then.
   */
  identifyAllowedAt: number
  /** The time of Discord's last message while the connection is not ready. Undefined before the first one. */
  lastHandshakeMessageAt: number | undefined
  /** True while a requested resume has not succeeded. */
  isResuming: boolean
  /** Discord's close code that made the resume necessary. */
  resumeCloseCode: number | undefined
  /** The number of sockets that have failed since the connection was last ready. */
  socketFailures: number
  /** The time at which the pending heartbeat was sent. Undefined if none is pending. */
  heartbeatSentAt: number | undefined
  /** The time at which the last acknowledged heartbeat was sent. Undefined if none was acknowledged yet. */
  acknowledgedHeartbeatSentAt: number | undefined
  /** The latency of the last acknowledged heartbeat in milliseconds. */
  latencyMs: number | undefined
}

/** Creates the state of a shard whose connection is being opened. */
export const createShardState = (): ShardState => ({
  isReady: false,
  attemptStartedAt: performance.now(),
  identifyAllowedAt: 0,
  lastHandshakeMessageAt: undefined,
  isResuming: false,
  resumeCloseCode: undefined,
  socketFailures: 0,
  heartbeatSentAt: undefined,
  acknowledgedHeartbeatSentAt: undefined,
  latencyMs: undefined,
})

/** Records that the session has begun or was resumed. */
export function markReady(shard: ShardState): void {
  // After a resume, Discord repeats missed events. Only the next acknowledgement proves that they have arrived.
  Object.assign(shard, {
    isReady: true,
    lastHandshakeMessageAt: undefined,
    isResuming: false,
    resumeCloseCode: undefined,
    socketFailures: 0,
    heartbeatSentAt: undefined,
    acknowledgedHeartbeatSentAt: undefined,
  } satisfies Partial<ShardState>)
}

/** Records that the connection was lost. */
export function markDisconnected(shard: ShardState): void {
  if (shard.isReady) shard.attemptStartedAt = performance.now()
  Object.assign(shard, {
    isReady: false,
    lastHandshakeMessageAt: undefined,
    isResuming: false,
    heartbeatSentAt: undefined,
    acknowledgedHeartbeatSentAt: undefined,
    latencyMs: undefined,
  } satisfies Partial<ShardState>)
}

/** Records that Discord has acknowledged the pending heartbeat. */
export function markHeartbeatAcknowledged(shard: ShardState): void {
  if (shard.heartbeatSentAt === undefined) return
  shard.acknowledgedHeartbeatSentAt = shard.heartbeatSentAt
  shard.latencyMs = performance.now() - shard.heartbeatSentAt
  shard.heartbeatSentAt = undefined
}

/**
 * Records a close of the connection. Returns the close code if Discord has ended the session. Returns undefined if the
 * session can be resumed, or if the network or this service has closed the connection. If Discord refuses a resume,
 * returns the close code that made the resume necessary.
 */
export function recordClose(shard: ShardState, code: number): number | undefined {
  // Before Discord's first message, the library may itself close with 1000, because this message has not arrived in
  // time.
  const hasReceivedMessage = shard.isReady || shard.lastHandshakeMessageAt !== undefined
  if (!hasReceivedMessage || !isDiscordCloseCode(code)) return undefined
  if (isResumable(code) && (shard.isReady || shard.isResuming)) {
    shard.resumeCloseCode = code
    return undefined
  }
  // "Invalid session" is reported as a close with 1000.
  return shard.isResuming && code === 1_000 ? shard.resumeCloseCode : code
}

/** Returns for how many milliseconds a heartbeat has been pending, or 0 if none is. */
export const heartbeatPendingMs = ({ heartbeatSentAt }: ShardState): number =>
  heartbeatSentAt === undefined ? 0 : performance.now() - heartbeatSentAt

/** Returns the milliseconds since the last message of a connection that is not ready, or 0 if it is ready. */
export const handshakeSilenceMs = ({ isReady, lastHandshakeMessageAt }: ShardState): number =>
  isReady || lastHandshakeMessageAt === undefined ? 0 : performance.now() - lastHandshakeMessageAt
