import type { ChatGatewayStatus } from '#chat/chat-gateway'
import type { ChatBudget } from '#chat/chat-platform'
import type { SampleCounts } from './samples.ts'

export interface LiveMirrorStatus {
  readonly isLeader: boolean
  /**
   * The gateway connection of the instance that leads; `closed` if none leads, `off` if the gateway is disabled.
   */
  readonly gateway: Omit<ChatGatewayStatus, 'state'> & { readonly state: ChatGatewayStatus['state'] | 'off' }
  readonly lastEventAt: Date | null
  /** On the leader: the servers that it vouches for now, and the number of unwritten events. */
  readonly vouched: readonly string[]
  readonly pending: number
  /** The waiting time of the oldest unwritten event, as last reported by the leader. Null if no event waits. */
  readonly lagMs: number | null
  /** The counts of this instance since it leads: members compared with the platform, and those that were wrong. */
  readonly samples: SampleCounts
}

/** A server with a mirror that the gateway does not vouch for. */
export interface ServerNotLive {
  readonly serverId: string
  readonly serverName: string
  /**
   * `lost`: the bot is not in the server. `unavailable`: the platform has an outage. `reading`: the server is not read
   * completely yet.
   */
  readonly reason: 'lost' | 'unavailable' | 'reading'
  readonly since: string
}

/** The mirror of the chat platform. The leader keeps it current through the gateway. */
export interface LiveMirror {
  start(): void
  status(): LiveMirrorStatus
  /** Returns the servers that are not live, as last reported by the leader. Returns none while the gateway is off. */
  notLive(): Promise<readonly ServerNotLive[]>
  close(): Promise<void>
}

/** The state of the chat platform, for monitoring. */
export interface ChatFigures {
  /**
   * - `up`: roles are live; with the gateway off, they are read when they are due.
   * - `degraded`: roles are as old as the last reading, or some requests are suspended.
   * - `down`: all requests to the platform are suspended.
   */
  readonly status: 'up' | 'degraded' | 'down'
  /** The state of the instance that holds the connection. */
  readonly gateway: LiveMirrorStatus['gateway']['state']
  /** The gateway's problem and its fix, in one sentence. */
  readonly problem: string | null
  readonly shards: number
  /** True if this instance holds the connection. */
  readonly isLeader: boolean
  /** The number of received changes that are not written yet; 0 if another instance holds the connection. */
  readonly pending: number
  /** The waiting time of the oldest of these; null while there is no leader. */
  readonly lagMs: number | null
  /**
   * The number of new gateway sessions that the platform allows in the current period; null until it reports it.
   */
  readonly sessionsLeft: number | null
  /** The latency of the gateway's heartbeat, or else of the last request. */
  readonly latencyMs: number | null
  readonly lastEventAt: string | null
  /** The budget of this instance, except for shared values. */
  readonly rest: ChatBudget
}
