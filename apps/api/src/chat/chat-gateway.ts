import type { ChatMember, ChatRole, ChatServerInfo, ChatUser } from './chat-objects.ts'

/** An event that the platform sent through its gateway. Events arrive in order. */
export type ChatEvent =
  /** A server became available: at the start of a session, after an outage, or because the bot was invited. */
  | { readonly kind: 'serverAvailable'; readonly serverId: string; readonly server: ChatServerInfo }
  | { readonly kind: 'serverUpdated'; readonly serverId: string; readonly server: ChatServerInfo }
  /** The platform has an outage. The state of the server is unknown, but no membership has ended. */
  | { readonly kind: 'serverUnavailable'; readonly serverId: string }
  /** The bot was removed from the server. That does not affect the members. */
  | { readonly kind: 'serverLost'; readonly serverId: string }
  | { readonly kind: 'roleChanged'; readonly serverId: string; readonly role: ChatRole }
  | { readonly kind: 'roleRemoved'; readonly serverId: string; readonly roleId: string }
  /**
   * A member has joined or changed. The event contains the whole member in both cases, and the platform may repeat it.
   */
  | { readonly kind: 'memberChanged'; readonly serverId: string; readonly member: ChatMember }
  /** A member has left, or was removed or banned. The membership is over. */
  | { readonly kind: 'memberRemoved'; readonly serverId: string; readonly user: ChatUser }
  | { readonly kind: 'memberBanned'; readonly serverId: string; readonly user: ChatUser }

/** The position of an event in a gateway session. */
export interface EventPosition {
  /** A name of the session. It is not the ID of the session, which is a secret. */
  readonly session: string
  /** Increases with every event of the session. */
  readonly sequence: number
}

/**
 * The data with which another instance resumes a session at the same position. The ID is a secret, like the bot token.
 */
export interface ChatGatewaySession {
  readonly shard: number
  readonly shards: number
  readonly id: string
  readonly resumeUrl: string
  /** The sequence number of the last event that was received. */
  readonly sequence: number
}

/**
 * A record of when gateway sessions were begun. The platform limits how often that may happen, so the record is stored
 * as JSON for the next leader. All times are in milliseconds, relative to the moment of the record. A lane is one of
 * the groups of shards that can begin sessions independently of each other.
 */
export interface SessionBeginnings {
  readonly lanes: readonly { readonly lane: number; readonly freeInMs: number }[]
  readonly shards: readonly {
    readonly shard: number
    /** The time since the shard last requested a session. Null if the end of that session has already been counted. */
    readonly begunAgoMs: number | null
    readonly failures: number
    readonly notBeforeMs: number
    /** The close code of the shard's last session that failed. */
    readonly lastCloseCode?: number | undefined
  }[]
  /** The number of sessions that the platform has reported as left, minus those begun since. */
  readonly left: { readonly remaining: number; readonly resetInMs: number } | null
}

/** The state that the previous leader has stored. */
export interface StoredGatewayState {
  /** The sessions to resume. */
  readonly sessions: readonly ChatGatewaySession[]
  readonly beginnings: SessionBeginnings | null
  /** The age of `beginnings` in milliseconds. */
  readonly ageMs: number
}

/** Receives what happens on the gateway connection. */
export interface ChatGatewayListener {
  /**
   * A new session has begun for the servers that `isAffected` selects. The bot is in `serverIds`. Events from before
   * the session may have been lost.
   */
  readonly sessionStarted: (
    isAffected: (serverId: string) => boolean,
    serverIds: ReadonlySet<string>,
    at: EventPosition,
  ) => void
  readonly received: (event: ChatEvent, at: EventPosition) => void
  /** Events of these servers were lost: there is a gap in the sequence numbers. */
  readonly eventsMissed: (isAffected: (serverId: string) => boolean) => void
  /** The status of the connection, or the result of `maxStalenessMs`, may have changed. */
  readonly changed: () => void
  /**
   * Called before a new session is requested, so that the next leader counts that session, too. If the promise rejects,
   * the session is delayed.
   */
  readonly beforeSession: (beginnings: SessionBeginnings) => Promise<void>
}

/**
 * The state of the gateway connection:
 *
 * - `closed`: it was not opened, or was closed.
 * - `connecting`: it is being established, or waits for the next attempt.
 * - `connected`: every shard is connected.
 * - `refused`: the platform rejects it until an operator fixes the `problem`.
 */
export type ChatGatewayState = 'closed' | 'connecting' | 'connected' | 'refused'

/** The status of the gateway connection, for monitoring. */
export interface ChatGatewayStatus {
  readonly state: ChatGatewayState
  /** The problem, the platform's last close code, the fix, and the time of the next attempt. */
  readonly problem: string | null
  /** The number of connections, as the platform recommends it. */
  readonly shards: number
  /** The latency of the slowest connection's heartbeat. Null if no heartbeat was acknowledged yet. */
  readonly latencyMs: number | null
  /**
   * The number of new sessions that the platform still permits in the current period. Null until the platform has
   * reported it.
   */
  readonly sessionsLeft: number | null
}

/** The times of the gateway connection, in milliseconds. Tests use shorter ones. */
export interface ChatGatewayTiming {
  /** The interval between two heartbeats on a connection. */
  readonly heartbeatEveryMs: number
  /**
   * While a heartbeat has been pending for longer than this, the gateway does not guarantee that its events are
   * complete. After `deadAfterMs`, the connection is closed.
   */
  readonly silentAfterMs: number
  readonly deadAfterMs: number
  /** A connection that is not ready after this time is closed. */
  readonly readyTimeoutMs: number
  /**
   * If no message arrives within this time during a resume, the resume is abandoned. The library would consider such a
   * connection healthy.
   */
  readonly resumeTimeoutMs: number
  /** The pause after the first failure, and the longest pause between two attempts. */
  readonly firstPauseMs: number
  readonly maxPauseMs: number
  /**
   * The first pause after a refusal, which an operator must fix. It is longer, because the platform counts every
   * attempt.
   */
  readonly refusedPauseMs: number
  /** The shortest time between two new sessions. */
  readonly identifyEveryMs: number
  /**
   * If the platform ends a session before this time, the session has failed. Each further failure doubles the pause
   * before the next session, up to `maxIdentifyPauseMs`.
   */
  readonly minSessionMs: number
  readonly maxIdentifyPauseMs: number
}

/**
 * The gateway connection of the platform, through which it reports changes. While it is open, it reconnects by itself.
 */
export interface ChatGateway {
  /** Begins to connect, and returns immediately. `earlier` is the state that an earlier leader has stored. */
  open(listener: ChatGatewayListener, earlier?: StoredGatewayState): void
  /**
   * Returns the session of each shard, with the last sequence number that was received. Returns undefined if a shard
   * has no session.
   */
  sessions(): readonly ChatGatewaySession[] | undefined
  /**
   * Acknowledges that all events up to these positions were stored. The platform then need not keep them for a resume.
   */
  acknowledge(sessions: readonly ChatGatewaySession[]): void
  status(): ChatGatewayStatus
  /**
   * Returns the age in milliseconds of the last moment up to which all events of a server were received. Returns
   * undefined if the connection cannot guarantee such a moment.
   */
  maxStalenessMs(serverId: string): number | undefined
  /** Closes the connection, so that the next leader can resume its sessions. */
  close(): Promise<void>
}
