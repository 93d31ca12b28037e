import type { ChatGatewayStatus } from '#chat/chat-gateway'
import type { ChatBudget } from '#chat/chat-platform'
import type { SampleCounts } from './samples.ts'

/** The state of the live mirror, as this instance knows it. */
export interface LiveMirrorStatus {
  readonly isLeader: boolean
  /** The gateway connection of the leader. `closed` if there is no leader, `off` if the gateway is disabled. */
  readonly gateway: Omit<ChatGatewayStatus, 'state'> & { readonly state: ChatGatewayStatus['state'] | 'off' }
  readonly lastEventAt: Date | null
  /**
   * On the leader: the servers that are live, and the number of events not written yet. Otherwise empty and 0.
   */
  readonly liveServerIds: readonly string[]
  readonly pending: number
  /**
   * The waiting time of the oldest of these events in milliseconds, as the leader last reported it. Null without a
   * leader.
   */
  readonly lagMs: number | null
  /**
   * The number of members that this instance has compared with Discord since it became the leader, and the number of
   * those that were wrong.
   */
  readonly samples: SampleCounts
}

/** A server whose roles the gateway does not keep current at the moment. */
export interface ServerNotLive {
  readonly serverId: string
  readonly serverName: string
  /**
   * The reason: the bot is not in the server (`lost`), Discord has an outage (`unavailable`), or the server has not
   * been read completely yet (`reading`).
   */
  readonly reason: 'lost' | 'unavailable' | 'reading'
  readonly since: string
}

/** Keeps the mirror of Discord current: one instance, the leader, receives all changes through the gateway. */
export interface LiveMirror {
  start(): void
  status(): LiveMirrorStatus
  /**
   * Returns the servers that are not live, as the leader last reported it. Returns none while the gateway is disabled.
   */
  listNotLiveServers(): Promise<readonly ServerNotLive[]>
  close(): Promise<void>
}

/** The state of Discord, for monitoring. */
export interface ChatFigures {
  /**
   * The state of Discord:
   *
   * - `up`: they are live. With the gateway disabled: they are read when they are due.
   * - `degraded`: they are only as current as the last read, or some requests are suspended.
   * - `down`: all requests to Discord are suspended.
   */
  readonly status: 'up' | 'degraded' | 'down'
  /** The gateway connection of the leader. */
  readonly gateway: LiveMirrorStatus['gateway']['state']
  /** The problem of the gateway, and its fix, in one sentence. */
  readonly problem: string | null
  readonly shards: number
  /** True if this instance is the leader. */
  readonly isLeader: boolean
  /** The number of changes that were received and not written yet. 0 on every instance but the leader. */
  readonly pending: number
  /** The waiting time of the oldest of these changes in milliseconds. Null while there is no leader. */
  readonly lagMs: number | null
  /**
   * The number of new gateway sessions that Discord still permits in the current period. Null until Discord has
   * reported it.
   */
  readonly sessionsLeft: number | null
  /** The latency of the gateway's heartbeat in milliseconds, or else of the last REST request. */
  readonly latencyMs: number | null
  readonly lastEventAt: string | null
  /** The request budget of this instance, except for values that all instances share. */
  readonly rest: ChatBudget
}
