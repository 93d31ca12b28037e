import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionInfo } from '@discordjs/ws'
import { type APIGatewayBotInfo, type GatewayDispatchPayload, Routes } from 'discord-api-types/v10'
import { backOffMs } from '#platform/async'
import type { Log } from '#platform/log'
import type {
  ChatGateway,
  ChatGatewayListener,
  ChatGatewayStatus,
  ChatGatewayTiming,
} from './chat-gateway.ts'
import { ChatPlatformError } from './chat-platform.ts'
import {
  type Connection,
  type ConnectionEnd,
  isReadyPayload,
  openConnection,
} from './discord-gateway-connection.ts'
import { toChatEvent } from './discord-gateway-events.ts'
import { createIdentifyThrottle, identifyEveryMs } from './discord-gateway-identify.ts'
import { tokenRefused } from './discord-gateway-refusals.ts'
import { createSequences } from './discord-gateway-sequence.ts'
import { silentForMs } from './discord-gateway-shard.ts'
import type { DiscordGet } from './discord-rest.ts'

export interface DiscordGatewayOptions {
  readonly get: DiscordGet
  readonly botToken: string
  readonly log: Log
  /** Shorter in tests. */
  readonly timing?: Partial<ChatGatewayTiming>
}

const defaults: ChatGatewayTiming = {
  askEveryMs: 2_000,
  silentAfterMs: 2_000,
  deadAfterMs: 8_000,
  patienceMs: 20_000,
  resumePatienceMs: 4_000,
  firstPauseMs: 1_000,
  longestPauseMs: 60_000,
  refusedPauseMs: 30_000,
  identifyEveryMs,
  lastingSessionMs: 5 * 60_000,
  // At most 288 sessions a day that do not last, of the 1,000 after which the platform resets the token.
  maxIdentifyPauseMs: 5 * 60_000,
}
const longestRefusedPauseMs = 10 * 60_000
/** Sessions that do not last are told of once in so long, however many there are. */
const delayToldEveryMs = 60 * 60_000

/** The platform's gateway, reconnected for as long as it is open. */
export function createDiscordGateway(options: DiscordGatewayOptions): ChatGateway {
  const { get, botToken: token, log } = options
  const timing = { ...defaults, ...options.timing }
  const throttle = createIdentifyThrottle(timing)
  /** Never the library's own store, which all managers of a process share. */
  const sessions = new Map<number, SessionInfo>()
  const sequences = createSequences()
  let connection: Connection | undefined
  let delayToldAt = Number.NEGATIVE_INFINITY
  let status: Omit<ChatGatewayStatus, 'latencyMs'> = { state: 'closed', problem: null, shards: 0 }
  let closing = new AbortController()
  let running = Promise.resolve()

  /** One connection from its address to its end; undefined when it was closed on purpose. */
  const connectOnce = async (
    listener: ChatGatewayListener,
    closed: Promise<undefined>,
  ): Promise<Ended | undefined> => {
    const info = await Promise.race([findGateway(get), closed])
    if (!info || 'reason' in info) return info
    throttle.allow(info.session_start_limit)
    let wasUp = false
    const refresh = () => {
      const isUp = opened.shards.every(({ isReady }) => isReady)
      wasUp ||= isUp
      if (isUp && status.state !== 'connected') log.info({ shards: info.shards }, 'the gateway is connected')
      if (!isUp && status.state === 'connected') log.warn('the gateway connection is lost')
      status = {
        state: isUp ? 'connected' : 'connecting',
        problem: isUp ? null : status.problem,
        shards: info.shards,
      }
      listener.changed()
    }
    let settle = (_: Ended) => {}
    const ended = new Promise<Ended>((resolve) => {
      settle = resolve
    })
    const opened = openConnection(
      { token, info, sessions, throttle, timing, log },
      {
        changed: refresh,
        delayed: (pauseMs, problem) => {
          if (!problem) return
          if (performance.now() - delayToldAt > delayToldEveryMs) {
            log.warn({ nextSessionInSec: Math.ceil(pauseMs / 1000) }, problem)
            delayToldAt = performance.now()
          }
          status = { ...status, problem }
          listener.changed()
        },
        dispatched: (payload, shardId) => dispatch(listener, payload, shardId, info.shards),
        ended: (end) => settle({ ...end, wasUp }),
      },
    )
    connection = opened
    const end = await Promise.race([ended, closed])
    opened.close()
    connection = undefined
    return end
  }

  const dispatch = (
    listener: ChatGatewayListener,
    payload: GatewayDispatchPayload,
    shardId: number,
    shards: number,
  ) => {
    const isConcerned = (serverId: string) => shardOf(serverId, shards) === shardId
    if (isReadyPayload(payload)) {
      sequences.begin(shardId, payload.s)
      return listener.began(isConcerned)
    }
    if (sequences.hasGap(shardId, payload.s)) {
      log.warn('the gateway lost something that it had to tell: the members are read anew')
      listener.missed(isConcerned)
    }
    try {
      const event = toChatEvent(payload)
      if (event) listener.heard(event)
    } catch (error) {
      if (!(error instanceof ChatPlatformError)) throw error
      log.warn({ err: error, event: payload.t }, 'the gateway sent something that makes no sense')
    }
  }

  const run = async (listener: ChatGatewayListener, signal: AbortSignal) => {
    let failures = 0
    let told: string | undefined
    const closed = new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined), { once: true })
    })
    while (!signal.aborted) {
      const end = await connectOnce(listener, closed)
      if (!end) return
      failures = end.wasUp ? 1 : failures + 1
      const isRefused = end.reason === 'refused'
      status = { ...status, state: isRefused ? 'refused' : 'connecting', problem: end.problem }
      // One line for each new trouble, however often it is met.
      if (end.wasUp || told !== end.problem) log[isRefused ? 'error' : 'warn'](end.problem)
      told = end.problem
      listener.changed()
      // A session that only went silent is resumed at once.
      if (end.reason === 'silent') continue
      const firstMs = isRefused ? timing.refusedPauseMs : timing.firstPauseMs
      const maxMs = isRefused ? longestRefusedPauseMs : timing.longestPauseMs
      const pauseMs = backOffMs(failures, { firstMs, maxMs })
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }

  return {
    open(listener) {
      closing = new AbortController()
      status = { state: 'connecting', problem: null, shards: 0 }
      running = run(listener, closing.signal).catch((error: unknown) => {
        log.error({ err: error }, 'the gateway stopped because of a fault of ours')
      })
    },
    status() {
      const latencies = (connection?.shards ?? []).flatMap(({ latencyMs }) => latencyMs ?? [])
      return { ...status, latencyMs: latencies.length > 0 ? Math.round(Math.max(...latencies)) : null }
    },
    provenAgeMs(serverId) {
      const shard = connection?.shards[shardOf(serverId, connection.shards.length)]
      if (!shard?.isReady || shard.provenAt === undefined) return undefined
      return silentForMs(shard) > timing.silentAfterMs ? undefined : performance.now() - shard.provenAt
    },
    async close() {
      closing.abort()
      await running
      status = { state: 'closed', problem: null, shards: 0 }
    },
  }
}

type Ended = ConnectionEnd & { wasUp: boolean }

/** Where the gateway is, or why nobody says so. */
async function findGateway(get: DiscordGet): Promise<APIGatewayBotInfo | Ended> {
  try {
    return await get<APIGatewayBotInfo>(Routes.gatewayBot(), 'background')
  } catch (error) {
    if (!(error instanceof ChatPlatformError)) throw error
    if (error.status === 401) return { reason: 'refused', problem: tokenRefused, wasUp: false }
    return { reason: 'unreachable', problem: error.message, wasUp: false }
  }
}

/** The platform's rule for which of its connections tells of a server. */
const shardOf = (serverId: string, shards: number) => Number((BigInt(serverId) >> 22n) % BigInt(shards))
