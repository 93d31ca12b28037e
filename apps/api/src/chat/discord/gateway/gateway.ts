import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionInfo } from '@discordjs/ws'
import { type APIGatewayBotInfo, type GatewayDispatchPayload, Routes } from 'discord-api-types/v10'
import { backOffMs, untilAborted } from '#platform/async'
import type { Log } from '#platform/log'
import type {
  ChatGateway,
  ChatGatewayListener,
  ChatGatewaySession,
  ChatGatewayStatus,
  ChatGatewayTiming,
} from '../../chat-gateway.ts'
import { ChatPlatformError } from '../../chat-platform.ts'
import { toGatewayInfo } from '../objects.ts'
import type { DiscordGet } from '../rest/rest.ts'
import { type Connection, type ConnectionEnd, isReadyPayload, openConnection } from './connection.ts'
import { toChatEvent } from './events.ts'
import { createIdentifyThrottle, identifyEveryMs } from './identify.ts'
import { tokenRefused } from './refusals.ts'
import { createSequences } from './sequence.ts'
import { heartbeatPendingMs } from './shard.ts'

export interface DiscordGatewayOptions {
  readonly get: DiscordGet
  readonly botToken: string
  readonly log: Log
  /** Overrides the times of the connection. Tests use shorter ones. */
  readonly timing?: Partial<ChatGatewayTiming>
}

const defaults: ChatGatewayTiming = {
  heartbeatEveryMs: 2_000,
  silentAfterMs: 2_000,
  deadAfterMs: 8_000,
  readyTimeoutMs: 20_000,
  resumeTimeoutMs: 4_000,
  firstPauseMs: 1_000,
  maxPauseMs: 60_000,
  refusedPauseMs: 30_000,
  identifyEveryMs,
  minSessionMs: 5 * 60_000,
  // At most 288 short sessions per day. After 1,000, Discord resets the token.
  maxIdentifyPauseMs: 5 * 60_000,
}
const maxRefusedPauseMs = 10 * 60_000
/** The shortest time between two log lines about delays for the same reason. */
const delayLogIntervalMs = 60 * 60_000

/** Creates the gateway of Discord. It reconnects while it is open. */
export function createDiscordGateway(options: DiscordGatewayOptions): ChatGateway {
  const { get, botToken: token, log } = options
  const timing = { ...defaults, ...options.timing }
  const throttle = createIdentifyThrottle(timing)
  /** A store of our own, because all managers of a process share the store of the library. */
  const sessions = new Map<number, SessionInfo>()
  const sequences = createSequences()
  /** The position of each shard's session: the last event that was received, and the last one that was stored. */
  const lastReceived = new Map<number, ChatGatewaySession>()
  const acknowledged = new Map<number, ChatGatewaySession>()
  let connection: Connection | undefined
  let delayLoggedAt = Number.NEGATIVE_INFINITY
  let loggedDelayCode: number | null | undefined
  let status: Omit<ChatGatewayStatus, 'latencyMs' | 'sessionsLeft'> = {
    state: 'closed',
    problem: null,
    shards: 0,
  }
  let closing = new AbortController()
  let running = Promise.resolve()

  /**
   * Requests the address of the gateway, connects, and waits until the connection ends. Returns the reason of the end,
   * or undefined if the gateway was closed on purpose.
   */
  const connectOnce = async (
    listener: ChatGatewayListener,
    closed: Promise<undefined>,
  ): Promise<Ended | undefined> => {
    const info = await Promise.race([findGateway(get), closed])
    if (!info || 'reason' in info) return info
    throttle.setLimit(info.session_start_limit)
    let wasUp = false
    const refresh = () => {
      const isUp = [...opened.shards.values()].every(({ isReady }) => isReady)
      wasUp ||= isUp
      if (isUp && status.state !== 'connected') log.info({ shards: opened.shards.size }, 'gateway connected')
      if (!isUp && status.state === 'connected') log.warn('gateway connection lost')
      status = {
        state: isUp ? 'connected' : 'connecting',
        problem: isUp ? null : status.problem,
        shards: opened.shards.size,
      }
      listener.changed()
    }
    let settle = (_: Ended) => {}
    const ended = new Promise<Ended>((resolve) => {
      settle = resolve
    })
    const opened = openConnection(
      { token, info, sessions, acknowledged: storedSequence, throttle, timing, log },
      {
        changed: refresh,
        delayed: ({ pauseMs, problem, closeCode }) => {
          if (!problem) return
          const isNew = closeCode !== loggedDelayCode
          if (isNew || performance.now() - delayLoggedAt > delayLogIntervalMs) {
            log.warn({ closeCode, nextAttemptInSec: seconds(pauseMs) }, problem)
            delayLoggedAt = performance.now()
            loggedDelayCode = closeCode
          }
          status = { ...status, problem: withNextAttempt(problem, pauseMs) }
          listener.changed()
        },
        beforeSession: listener.beforeSession,
        dispatched: (payload, shardId) => dispatch(listener, payload, shardId, info.shards),
        ended: (end) => settle({ ...end, wasUp }),
      },
    )
    connection = opened
    const end = await Promise.race([ended, closed])
    // The next connection resumes the sessions.
    opened.close({ isResumable: true })
    connection = undefined
    return end
  }

  const dispatch = (
    listener: ChatGatewayListener,
    payload: GatewayDispatchPayload,
    shardId: number,
    shards: number,
  ) => {
    const isAffected = (serverId: string) => shardOf(serverId, shards) === shardId
    if (isReadyPayload(payload)) {
      const { session_id: id, resume_gateway_url: resumeUrl, guilds } = payload.d
      trackSession({ shard: shardId, shards, id, resumeUrl, sequence: payload.s })
      const at = { session: nameOf(id), sequence: payload.s }
      return listener.sessionStarted(isAffected, new Set(guilds.map((guild) => guild.id)), at)
    }
    const session = lastReceived.get(shardId)
    if (session) lastReceived.set(shardId, { ...session, sequence: Math.max(session.sequence, payload.s) })
    if (sequences.hasGap(shardId, payload.s)) {
      log.warn('gateway event lost: reading all members again')
      listener.eventsMissed(isAffected)
    }
    try {
      const event = toChatEvent(payload)
      if (event) listener.received(event, { session: nameOf(session?.id ?? ''), sequence: payload.s })
    } catch (error) {
      if (!(error instanceof ChatPlatformError)) throw error
      log.warn({ err: error, event: payload.t }, 'gateway event ignored: invalid payload')
    }
  }

  /** Sets the position of a session that begins or is resumed. */
  const trackSession = (session: ChatGatewaySession) => {
    sequences.begin(session.shard, session.sequence)
    lastReceived.set(session.shard, session)
    acknowledged.set(session.shard, session)
  }
  /**
   * Returns the sequence number up to which the events of a shard were stored. Returns null if it belongs to an earlier
   * session of the shard.
   */
  const storedSequence = (shardId: number) => {
    const stored = acknowledged.get(shardId)
    return stored && stored.id === sessions.get(shardId)?.sessionId ? stored.sequence : null
  }

  /**
   * After an internal error, only this connection ends, and the gateway opens another one: the next connection may not
   * cause the error.
   */
  const endAfterFault = (error: unknown): Ended => {
    log.error({ err: error }, 'gateway connection ended: internal error')
    connection?.close()
    connection = undefined
    return {
      reason: 'stuck',
      problem: 'The gateway connection failed with an internal error. See the log of the leader.',
      wasUp: false,
    }
  }

  const run = async (listener: ChatGatewayListener, signal: AbortSignal) => {
    let failures = 0
    let loggedProblem: string | undefined
    const closed = untilAborted(signal)
    while (!signal.aborted) {
      const end = await connectOnce(listener, closed).catch(endAfterFault)
      if (!end) return
      failures = end.wasUp ? 1 : failures + 1
      const isRefused = end.reason === 'refused'
      const firstMs = isRefused ? timing.refusedPauseMs : timing.firstPauseMs
      const maxMs = isRefused ? maxRefusedPauseMs : timing.maxPauseMs
      // A session whose connection only went silent is resumed immediately.
      const pauseMs = end.reason === 'silent' ? 0 : backOffMs(failures, { firstMs, maxMs })
      status = {
        ...status,
        state: isRefused ? 'refused' : 'connecting',
        problem: isRefused ? withNextAttempt(end.problem, pauseMs) : end.problem,
      }
      // Logs a problem once, no matter how often it is repeated.
      if (end.wasUp || loggedProblem !== end.problem) {
        const closeCode = isRefused ? end.closeCode : undefined
        log[isRefused ? 'error' : 'warn']({ closeCode, nextAttemptInSec: seconds(pauseMs) }, end.problem)
      }
      loggedProblem = end.problem
      listener.changed()
      if (pauseMs === 0) continue
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }

  return {
    open(listener, earlier) {
      closing = new AbortController()
      for (const map of [sessions, lastReceived, acknowledged]) map.clear()
      if (earlier?.beginnings) throttle.restore(earlier.beginnings, earlier.ageMs)
      for (const session of earlier?.sessions ?? []) {
        const { shard: shardId, shards: shardCount, id: sessionId, resumeUrl: resumeURL, sequence } = session
        sessions.set(shardId, { shardId, shardCount, sessionId, resumeURL, sequence })
        trackSession(session)
      }
      status = { state: 'connecting', problem: null, shards: 0 }
      running = run(listener, closing.signal)
    },
    status() {
      const latencies = [...(connection?.shards.values() ?? [])].flatMap(({ latencyMs }) => latencyMs ?? [])
      const latencyMs = latencies.length > 0 ? Math.round(Math.max(...latencies)) : null
      return { ...status, latencyMs, sessionsLeft: throttle.remaining() ?? null }
    },
    sessions() {
      const shards = connection?.shards.size ?? 0
      // Leaves out sessions that the library has abandoned, which cannot be resumed.
      const known = [...lastReceived.values()].filter(
        ({ shard, id, shards: of }) => of === shards && sessions.get(shard)?.sessionId === id,
      )
      return shards > 0 && known.length === shards ? known : undefined
    },
    acknowledge(stored) {
      for (const session of stored) acknowledged.set(session.shard, session)
    },
    maxStalenessMs(serverId) {
      const shard = connection?.shards.get(shardOf(serverId, connection.shards.size))
      if (!shard?.isReady || shard.acknowledgedHeartbeatSentAt === undefined) return undefined
      return heartbeatPendingMs(shard) > timing.silentAfterMs
        ? undefined
        : performance.now() - shard.acknowledgedHeartbeatSentAt
    },
    async close() {
      closing.abort()
      await running
      status = { state: 'closed', problem: null, shards: 0 }
    },
  }
}

const seconds = (ms: number) => Math.ceil(ms / 1_000)

/** Adds the time of day, because the text may be read much later. */
const withNextAttempt = (problem: string, pauseMs: number) => {
  const at = new Date(Date.now() + pauseMs).toISOString().slice(11, 19)
  return `${problem} Next attempt after a pause of ${seconds(pauseMs)} s, at ${at} UTC.`
}

type Ended = ConnectionEnd & { wasUp: boolean }

/** Requests the address of the gateway. Returns it, or the reason of the failure. */
async function findGateway(get: DiscordGet): Promise<APIGatewayBotInfo | Ended> {
  try {
    return toGatewayInfo(await get<APIGatewayBotInfo>(Routes.gatewayBot(), 'background'))
  } catch (error) {
    if (!(error instanceof ChatPlatformError)) throw error
    if (error.status === 401) return { reason: 'refused', problem: tokenRefused, wasUp: false }
    return { reason: 'unreachable', problem: error.message, wasUp: false }
  }
}

/** Returns the shard that reports a server, as Discord defines it. */
const shardOf = (serverId: string, shards: number) => Number((BigInt(serverId) >> 22n) % BigInt(shards))

/** Returns a name of a session that does not reveal its ID, which is a secret. */
const nameOf = (sessionId: string) => hash('sha256', sessionId).slice(0, 16)
