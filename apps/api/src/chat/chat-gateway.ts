import type { ChatMember, ChatRole, ChatServerInfo, ChatUser } from './chat-objects.ts'

/** An event of the platform, in the order in which it was received. */
export type ChatEvent =
  /** A server is available: at the start of a session, after an outage, or because the bot was invited. */
  | { readonly kind: 'serverAvailable'; readonly serverId: string; readonly server: ChatServerInfo }
  | { readonly kind: 'serverUpdated'; readonly serverId: string; readonly server: ChatServerInfo }
  /** The platform has an outage: the state of the server is unknown, and no membership has ended. */
  | { readonly kind: 'serverUnavailable'; readonly serverId: string }
  /** The bot is no longer in the server, which has no bearing on its members. */
  | { readonly kind: 'serverLost'; readonly serverId: string }
  | { readonly kind: 'roleChanged'; readonly serverId: string; readonly role: ChatRole }
  | { readonly kind: 'roleRemoved'; readonly serverId: string; readonly roleId: string }
  /** Joined or changed: both carry the whole member, and the platform repeats events. */
  | { readonly kind: 'memberChanged'; readonly serverId: string; readonly member: ChatMember }
  /** Left, kicked or banned; the platform states that the membership is over. */
  | { readonly kind: 'memberRemoved'; readonly serverId: string; readonly user: ChatUser }
  | { readonly kind: 'memberBanned'; readonly serverId: string; readonly user: ChatUser }

/** The position of an event in a session of the gateway. */
export interface EventPosition {
  /** Identifies the session. It is not secret. */
  readonly session: string
  /** Ascending within a session. */
  readonly sequence: number
}

/**
 * The data with which another instance resumes a session at the same position. The ID is a secret like the bot token.
 */
export interface ChatGatewaySession {
  readonly shard: number
  readonly shards: number
  readonly id: string
  readonly resumeUrl: string
  /** The last sequence that was received. */
  readonly sequence: number
}

/**
 * The known state of new sessions, which the platform limits. Times are in milliseconds from the moment of this
 * record.
 */
export interface SessionBeginnings {
  readonly lanes: readonly { readonly lane: number; readonly freeInMs: number }[]
  readonly shards: readonly {
    readonly shard: number
    /** The time since its last session was requested; null once the end of that session has been accounted for. */
    readonly begunAgoMs: number | null
    readonly failures: number
    readonly notBeforeMs: number
    /** The close code with which the platform ended the last failed session. */
    readonly lastCloseCode?: number | undefined
  }[]
  /** The number of sessions that the platform reported as left, less those used since. */
  readonly left: { readonly remaining: number; readonly resetInMs: number } | null
}

/** The state that the previous leader has stored. */
export interface ChatGatewayPast {
  /** The sessions to resume. */
  readonly sessions: readonly ChatGatewaySession[]
  readonly beginnings: SessionBeginnings | null
  /** The age of `beginnings`. */
  readonly ageMs: number
}

export interface ChatGatewayListener {
  /**
   * Reports a new session for these servers; the bot is in `serverIds`. Events from before the session may never be
   * delivered.
   */
  readonly sessionStarted: (
    isConcerned: (serverId: string) => boolean,
    serverIds: ReadonlySet<string>,
    at: EventPosition,
  ) => void
  readonly received: (event: ChatEvent, at: EventPosition) => void
  /** Reports that events of these servers were lost: the sequence of received events has a gap. */
  readonly eventsMissed: (isConcerned: (serverId: string) => boolean) => void
  /** Reports that `provenAgeMs` may have become better or worse. */
  readonly changed: () => void
  /** Records a new session before it is requested, so that the next leader counts it. A rejection delays the session. */
  readonly beginning: (known: SessionBeginnings) => Promise<void>
}

/**
 * - `connecting`: being established, or waiting for the next attempt.
 * - `connected`: every part of the connection is up.
 * - `refused`: the platform rejects the connection until an operator fixes the `problem`.
 */
export type ChatGatewayState = 'closed' | 'connecting' | 'connected' | 'refused'

export interface ChatGatewayStatus {
  readonly state: ChatGatewayState
  /** The problem, the platform's last close code, its fix, and the time of the next attempt. */
  readonly problem: string | null
  /** The number of connections: at least as many as the platform recommends. */
  readonly shards: number
  /** The heartbeat latency of the slowest connection; null while none has answered. */
  readonly latencyMs: number | null
  /**
   * The number of new sessions that the platform allows in the current period; null while it has not reported it.
   */
  readonly sessionsLeft: number | null
}

export interface ChatGatewayTiming {
  /** The heartbeat interval of a connection. */
  readonly askEveryMs: number
  /**
   * The time without an answer after which the gateway vouches for nothing; after `deadAfterMs` the connection is
   * closed.
   */
  readonly silentAfterMs: number
  readonly deadAfterMs: number
  /** The time after which a connection that is not ready is closed. */
  readonly patienceMs: number
  /** The time without an answer after which a resume is abandoned. Libraries consider such a connection healthy. */
  readonly resumePatienceMs: number
  /** The first and the longest pause between two attempts. */
  readonly firstPauseMs: number
  readonly maxPauseMs: number
  /** The first pause after a refusal, which an operator has to fix. The platform counts each attempt. */
  readonly refusedPauseMs: number
  /** The shortest time between two new sessions. */
  readonly identifyEveryMs: number
  /**
   * The time before which a session that the platform ends counts as failed; each further failure doubles the pause
   * before the next.
   */
  readonly lastingSessionMs: number
  readonly maxIdentifyPauseMs: number
}

/** The platform's live connection. It reconnects automatically while it is open. */
export interface ChatGateway {
  /** Starts to connect and returns immediately. */
  open(listener: ChatGatewayListener, past?: ChatGatewayPast): void
  /** Returns one session for each shard, at its last received sequence; undefined unless every shard has one. */
  sessions(): readonly ChatGatewaySession[] | undefined
  /**
   * Acknowledges that all events up to here are stored, so that the platform can delete them instead of keeping them
   * for a resume of these sessions.
   */
  acknowledge(sessions: readonly ChatGatewaySession[]): void
  status(): ChatGatewayStatus
  /**
   * Returns the milliseconds since the moment up to which everything about this server was received, or undefined
   * if the connection cannot vouch for it.
   */
  provenAgeMs(serverId: string): number | undefined
  /** Closes the connection, and leaves the sessions to the next holder. */
  close(): Promise<void>
}
