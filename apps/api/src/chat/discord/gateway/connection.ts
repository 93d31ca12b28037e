import type { REST } from '@discordjs/rest'
import { type SessionInfo, WebSocketManager, WebSocketShardEvents } from '@discordjs/ws'
import {
  type APIGatewayBotInfo,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  GatewayIntentBits,
  GatewayOpcodes,
} from 'discord-api-types/v10'
import type { Log } from '#platform/log'
import type { ChatGatewayListener, ChatGatewayTiming } from '../../chat-gateway.ts'
import type { IdentifyDelay, IdentifyThrottle } from './identify.ts'
import { refusalOf } from './refusals.ts'
import {
  createShardState,
  handshakeSilenceMs,
  heartbeatPendingMs,
  markDisconnected,
  markHeartbeatAcknowledged,
  markReady,
  recordClose,
  type ShardState,
} from './shard.ts'

const intents = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMembers | GatewayIntentBits.GuildModeration
/** The time limit for opening a socket, and then for Discord's first message on it. */
const handshakeTimeoutMs = 5_000
const helloTimeoutMs = 8_000
/**
 * The number of failed sockets in a row after which the connection is closed. The library would retry twice a second
 * forever.
 */
const maxFailures = 3
/** A close code with which Discord keeps the session, so that it can be resumed. 1000 would end the session. */
const keepSession = 4_200
const normalClosure = 1_000

/**
 * Given to the library instead of the real limit. Once the day's sessions are used up, it would give up even on a
 * resume. `createIdentifyThrottle` waits instead.
 */
const unlimited = { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 1 }

/** The reason why a connection has ended. Only after `silent` can its sessions be resumed. */
export type ConnectionEnd =
  | { readonly reason: 'refused'; readonly problem: string; readonly closeCode?: number }
  | { readonly reason: 'unreachable' | 'silent' | 'stuck'; readonly problem: string }

/** Receives what happens on one connection. */
export interface ConnectionHandlers {
  dispatched(payload: GatewayDispatchPayload, shardId: number): void
  /** A shard has become ready, or is no longer ready or healthy. */
  changed(): void
  /** A new session must wait. If the wait is long, `delay` contains the reason. */
  delayed(delay: IdentifyDelay): void
  /** Called before a new session is requested. */
  readonly beforeSession: ChatGatewayListener['beforeSession']
  /** The connection has ended. Called once, and no other call follows. */
  ended(end: ConnectionEnd): void
}

interface ConnectionOptions {
  readonly token: string
  readonly info: APIGatewayBotInfo
  /** The sessions by shard. They outlive the connection. */
  readonly sessions: Map<number, SessionInfo>
  /** Returns the sequence number up to which the events of a shard were stored. Discord deletes acknowledged events. */
  readonly acknowledged: (shardId: number) => number | null
  readonly throttle: IdentifyThrottle
  readonly timing: ChatGatewayTiming
  readonly log: Log
}

/** The connections of all shards to the gateway. */
export interface Connection {
  /** The state of each shard, by its number. There are as many as Discord recommends. */
  readonly shards: ReadonlyMap<number, ShardState>
  close(options?: { isResumable: boolean }): void
}

/**
 * Opens the connections of all shards with one manager of the library. Makes up for what the library lacks: it shares
 * sessions between managers, listens to all errors, limits the time of a resume, and pauses between retries.
 */
export function openConnection(options: ConnectionOptions, handlers: ConnectionHandlers): Connection {
  const { token, info, sessions, acknowledged, throttle, timing, log } = options
  const shards = new Map(Array.from({ length: info.shards }, (_, id) => [id, createShardState()]))
  // The library reports only the shards that it was given.
  const shardOf = (id: number) => shards.get(id) as ShardState
  const recordShardClose = (id: number, code: number) => {
    const endCode = recordClose(shardOf(id), code)
    if (endCode !== undefined) throttle.recordEnd(id, endCode)
  }
  let isClosed = false
  const closing = new AbortController()

  const manager = new WebSocketManager({
    token,
    intents,
    shardCount: info.shards,
    rest: { get: async () => ({ ...info, session_start_limit: unlimited }) } as unknown as REST,
    handshakeTimeout: handshakeTimeoutMs,
    helloTimeout: helloTimeoutMs,
    // `readyTimeoutMs` is used instead. With a time limit of its own, the library would close as if Discord had refused
    // the session.
    readyTimeout: null,
    // The library cannot be stopped in the middle of a reconnect, and would continue forever. But it requests the
    // session before each step. So a manager that is no longer used waits there for a promise that never settles.
    retrieveSessionInfo: (id) => (isClosed ? new Promise(() => {}) : (sessions.get(id) ?? null)),
    updateSessionInfo: (id, session) => {
      if (isClosed) return
      if (session) sessions.set(id, session)
      else {
        // The library emits no event for "invalid session", and after a refused IDENTIFY not even one for the close.
        recordShardClose(id, normalClosure)
        sessions.delete(id)
      }
    },
    buildIdentifyThrottler: () => ({
      waitForIdentify: async (id, signal) => {
        const lane = id % Math.max(1, info.session_start_limit.max_concurrency)
        const delayed = (delay: IdentifyDelay) => {
          shardOf(id).identifyAllowedAt = performance.now() + delay.pauseMs
          handlers.delayed(delay)
        }
        try {
          const turn = { shard: id, lane, delayed, record: handlers.beforeSession }
          await throttle.waitForTurn(turn, AbortSignal.any([signal, closing.signal]))
        } catch (error) {
          if (closing.signal.aborted) await new Promise(() => {})
          throw error
        }
        // The wait for its turn does not count as a part of the attempt.
        shardOf(id).attemptStartedAt = performance.now()
      },
    }),
  })

  const end = (reason: ConnectionEnd) => {
    if (isClosed) return
    close({ isResumable: reason.reason === 'silent' })
    handlers.ended(reason)
  }
  const close = ({ isResumable } = { isResumable: false }) => {
    if (isClosed) return
    isClosed = true
    closing.abort()
    clearInterval(watch)
    if (!isResumable) sessions.clear()
    // A socket that is still opening must not be destroyed: its error would have no listener, and end the process.
    // After its time limit, it has been opened or has failed.
    const mayBeOpening = [...shards.values()].some(({ isReady }) => !isReady)
    for (const shard of shards.values()) markDisconnected(shard)
    const destroy = async () => {
      try {
        await manager.destroy(isResumable ? { code: keepSession } : {})
      } catch (error) {
        log.debug({ err: error }, 'gateway connection close failed')
      }
    }
    if (mayBeOpening) setTimeout(() => void destroy(), handshakeTimeoutMs + 1_000).unref()
    else void destroy()
  }

  const ready = (id: number) => {
    markReady(shardOf(id))
    void sendHeartbeat(id)
    handlers.changed()
  }
  manager.on(WebSocketShardEvents.Ready, (_, id) => ready(id))
  manager.on(WebSocketShardEvents.Resumed, (id) => ready(id))
  manager.on(WebSocketShardEvents.Hello, (id) => {
    const shard = shardOf(id)
    shard.lastHandshakeMessageAt = performance.now()
    shard.isResuming = sessions.get(id)?.shardCount === info.shards
  })
  manager.on(WebSocketShardEvents.HeartbeatComplete, (_, id) => {
    if (isClosed) return
    const isFirst = shardOf(id).acknowledgedHeartbeatSentAt === undefined
    markHeartbeatAcknowledged(shardOf(id))
    if (isFirst) handlers.changed()
  })
  manager.on(WebSocketShardEvents.Dispatch, (payload, id) => {
    if (isClosed) return
    // Repeated events show that Discord is processing the resume.
    if (!shardOf(id).isReady) shardOf(id).lastHandshakeMessageAt = performance.now()
    handlers.dispatched(payload, id)
  })
  manager.on(WebSocketShardEvents.Closed, (code, id) => {
    if (isClosed) return
    recordShardClose(id, code)
    markDisconnected(shardOf(id))
    const problem = refusalOf(code)
    if (problem) end({ reason: 'refused', problem, closeCode: code })
    else {
      log.debug({ code, shard: id }, 'gateway connection closed')
      handlers.changed()
    }
  })
  manager.on(WebSocketShardEvents.SocketError, (error, id) => {
    if (isClosed) return
    log.debug({ err: error, shard: id }, 'gateway socket failed')
    const shard = shardOf(id)
    markDisconnected(shard)
    shard.socketFailures += 1
    handlers.changed()
    if (shard.socketFailures >= maxFailures)
      end({ reason: 'unreachable', problem: 'The gateway cannot be reached.' })
  })
  // Without a listener, errors of the library would end the process.
  manager.on(WebSocketShardEvents.Error, (error, id) => log.debug({ err: error, shard: id }, 'gateway error'))

  const sendHeartbeat = async (id: number) => {
    shardOf(id).heartbeatSentAt = performance.now()
    try {
      await manager.send(id, { op: GatewayOpcodes.Heartbeat, d: acknowledged(id) })
    } catch (error) {
      log.debug({ err: error, shard: id }, 'gateway connection check failed')
    }
  }
  const watch = setInterval(() => {
    for (const [id, shard] of shards) {
      if (!shard.isReady) {
        if (sessions.has(id) && handshakeSilenceMs(shard) > timing.resumeTimeoutMs) {
          return end({ reason: 'stuck', problem: 'The gateway does not respond to a resumed connection.' })
        }
        const sinceMs = performance.now() - Math.max(shard.attemptStartedAt, shard.identifyAllowedAt)
        if (sinceMs > timing.readyTimeoutMs) {
          return end({ reason: 'stuck', problem: 'The gateway does not respond to a new connection.' })
        }
        continue
      }
      const pendingMs = heartbeatPendingMs(shard)
      if (pendingMs > timing.deadAfterMs) {
        return end({ reason: 'silent', problem: 'The gateway connection stopped responding.' })
      }
      if (pendingMs > timing.silentAfterMs) handlers.changed()
      if (shard.heartbeatSentAt === undefined) void sendHeartbeat(id)
    }
  }, timing.heartbeatEveryMs)
  watch.unref()

  manager.connect().catch((error: unknown) => {
    // Most failures have already been reported by an event.
    const problem = error instanceof Error ? error.message : 'The gateway cannot be reached.'
    end({ reason: 'unreachable', problem })
  })
  return { shards, close }
}

/** Returns true for the message that begins a new session. */
export const isReadyPayload = (payload: GatewayDispatchPayload) => payload.t === GatewayDispatchEvents.Ready
