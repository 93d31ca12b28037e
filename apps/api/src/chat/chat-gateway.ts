import type { ChatMember, ChatRole, ChatServerInfo, ChatUser } from './chat-objects.ts'

/** Something that happened on the platform, in the order in which it told us. */
export type ChatEvent =
  /** A server is there: at the start of a session, after an outage, or because the bot was invited. */
  | { readonly kind: 'serverAvailable'; readonly serverId: string; readonly server: ChatServerInfo }
  | { readonly kind: 'serverUpdated'; readonly serverId: string; readonly server: ChatServerInfo }
  /** An outage of the platform's: nothing is known, and nothing has ended. */
  | { readonly kind: 'serverUnavailable'; readonly serverId: string }
  /** The bot is no longer in the server. That says nothing about its members. */
  | { readonly kind: 'serverLost'; readonly serverId: string }
  | { readonly kind: 'roleChanged'; readonly serverId: string; readonly role: ChatRole }
  | { readonly kind: 'roleRemoved'; readonly serverId: string; readonly roleId: string }
  /** Joined or changed: both carry the whole member, and the platform repeats itself. */
  | { readonly kind: 'memberChanged'; readonly serverId: string; readonly member: ChatMember }
  /** Left, kicked or banned; the platform's own word that the membership is over. */
  | { readonly kind: 'memberRemoved'; readonly serverId: string; readonly user: ChatUser }
  | { readonly kind: 'memberBanned'; readonly serverId: string; readonly user: ChatUser }

/** The place of an event in what a session tells. */
export interface ToldAt {
  /** Names the session, and is no secret. */
  readonly session: string
  /** Ascending within a session. */
  readonly sequence: number
}

/** What another instance needs to go on with a session where this one is. The id is a secret beside the bot token. */
export interface ChatGatewaySession {
  readonly shard: number
  readonly shards: number
  readonly id: string
  readonly resumeUrl: string
  /** Up to where it was told. */
  readonly sequence: number
}

/** What is known of new sessions: the platform counts them. Times are in milliseconds from the moment of this record. */
export interface SessionBeginnings {
  readonly lanes: readonly { readonly lane: number; readonly freeInMs: number }[]
  readonly shards: readonly {
    readonly shard: number
    /** When its last session was asked for; null when the end of that one has been accounted for. */
    readonly begunAgoMs: number | null
    readonly failures: number
    readonly notBeforeMs: number
    /** The close code by which the platform ended the last failed session. */
    readonly lastCloseCode?: number | undefined
  }[]
  /** What the platform said is left, less what was used since. */
  readonly left: { readonly remaining: number; readonly resetInMs: number } | null
}

/** What those who held the connection before have left behind. */
export interface ChatGatewayPast {
  /** Sessions to go on with. */
  readonly sessions: readonly ChatGatewaySession[]
  readonly beginnings: SessionBeginnings | null
  /** How long ago `beginnings` was recorded. */
  readonly ageMs: number
}

export interface ChatGatewayListener {
  /** A new session for these servers, of which the bot is in `serverIds`: what happened before it may never be told. */
  readonly began: (
    isConcerned: (serverId: string) => boolean,
    serverIds: ReadonlySet<string>,
    at: ToldAt,
  ) => void
  readonly received: (event: ChatEvent, at: ToldAt) => void
  /** Something happened in these servers that was never told: the numbers of what was told have a gap. */
  readonly missed: (isConcerned: (serverId: string) => boolean) => void
  /** `provenAgeMs` may be better or worse than a moment ago. */
  readonly changed: () => void
  /** Records a new session before it is requested, so that the next leader counts it. A rejection delays the session. */
  readonly beginning: (known: SessionBeginnings) => Promise<void>
}

/**
 * - `connecting`: on its way, or waiting to try again.
 * - `connected`: every part of the connection is up.
 * - `refused`: the platform will not have us until somebody mends what `problem` says.
 */
export type ChatGatewayState = 'closed' | 'connecting' | 'connected' | 'refused'

export interface ChatGatewayStatus {
  readonly state: ChatGatewayState
  /** The problem, the platform's last close code, its fix, and the time of the next attempt. */
  readonly problem: string | null
  /** Connections that this one is made of: as many as the platform asked for, at least. */
  readonly shards: number
  /** Between a question and its answer, of the slowest connection; null while none has answered. */
  readonly latencyMs: number | null
  /** New sessions that the platform allows until its count begins anew; null while it has not said. */
  readonly sessionsLeft: number | null
}

export interface ChatGatewayTiming {
  /** How often a connection is asked whether it still hears us. */
  readonly askEveryMs: number
  /** Unanswered for so long, nothing is vouched for any more; for `deadAfterMs`, it is given up. */
  readonly silentAfterMs: number
  readonly deadAfterMs: number
  /** A connection that is not ready for so long is given up. */
  readonly patienceMs: number
  /** A resume without any answer for so long is given up: to libraries it looks healthy. */
  readonly resumePatienceMs: number
  /** First and longest pause between two tries. */
  readonly firstPauseMs: number
  readonly maxPauseMs: number
  /** First pause after a refusal: somebody has to mend it, and each try is counted against us. */
  readonly refusedPauseMs: number
  /** Least time between two new sessions. */
  readonly identifyEveryMs: number
  /** A session that the platform ends sooner than this counts as failed; each further failure doubles the pause before the next. */
  readonly lastingSessionMs: number
  readonly maxIdentifyPauseMs: number
}

/** The platform's live connection. It reconnects by itself for as long as it is open. */
export interface ChatGateway {
  /** Begins to connect and returns at once. */
  open(listener: ChatGatewayListener, past?: ChatGatewayPast): void
  /** One for each shard, as far as they were told; undefined unless there is one for each. */
  sessions(): readonly ChatGatewaySession[] | undefined
  /** What was told up to here is safe: the platform need not keep it for whoever resumes these sessions. */
  acknowledge(sessions: readonly ChatGatewaySession[]): void
  status(): ChatGatewayStatus
  /**
   * Milliseconds since the moment up to which everything about this server has been told, or undefined
   * when the connection cannot vouch for it.
   */
  provenAgeMs(serverId: string): number | undefined
  /** Leaves the sessions to whoever resumes them. */
  close(): Promise<void>
}
