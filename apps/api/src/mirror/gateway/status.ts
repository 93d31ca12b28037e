import type { ChatGatewayStatus } from '#chat/chat-gateway'
import type { ChatBudget } from '#chat/chat-platform'
import type { SampleCounts } from './samples.ts'

export interface LiveMirrorStatus {
  readonly isLeader: boolean
  /** The gateway connection of whichever instance leads; `closed` when none does, `off` when none may. */
  readonly gateway: Omit<ChatGatewayStatus, 'state'> & { readonly state: ChatGatewayStatus['state'] | 'off' }
  readonly lastEventAt: Date | null
  /** On the leader: servers that are vouched for now, and events that are not written yet. */
  readonly vouched: readonly string[]
  readonly pending: number
  /** How long the oldest of these has waited, as the leader last said; null when there is none. */
  readonly lagMs: number | null
  /** Of this instance since it leads: members that were compared with the platform, and those that were wrong. */
  readonly samples: SampleCounts
}

/** A server whose mirror nobody vouches for. */
export interface ServerNotLive {
  readonly serverId: string
  readonly serverName: string
  /** `lost`: the bot is not in it. `unavailable`: an outage of the platform’s. `reading`: not all of it is read yet. */
  readonly reason: 'lost' | 'unavailable' | 'reading'
  readonly since: string
}

/** The mirror of the chat platform, kept true by its gateway on one of all instances. */
export interface LiveMirror {
  start(): void
  status(): LiveMirrorStatus
  /** As far as the leader said; none while the gateway is off. */
  notLive(): Promise<readonly ServerNotLive[]>
  close(): Promise<void>
}

/** How the chat platform is doing, for whoever watches the service. */
export interface ChatFigures {
  /**
   * - `up`: roles are live, or are read when they are due where the gateway is off.
   * - `degraded`: roles are as old as the last reading, or something is not asked for now.
   * - `down`: the platform is not asked at all for now.
   */
  readonly status: 'up' | 'degraded' | 'down'
  /** Of whichever instance holds the connection. */
  readonly gateway: LiveMirrorStatus['gateway']['state']
  /** What is wrong with the gateway and how to mend it, in one sentence. */
  readonly problem: string | null
  readonly shards: number
  /** Whether this instance holds the connection; changes that it has heard of and not written yet. */
  readonly isLeader: boolean
  readonly pending: number
  /** How long the oldest of these has waited; null while there is no leader. */
  readonly lagMs: number | null
  /** New gateway sessions that the platform allows until its count begins anew; null while it has not said. */
  readonly sessionsLeft: number | null
  /** Of the gateway's heartbeat, or else of the last request. */
  readonly latencyMs: number | null
  readonly lastEventAt: string | null
  /** Of this instance, as far as it does not say otherwise. */
  readonly rest: ChatBudget
}
