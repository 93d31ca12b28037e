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

export interface ChatGatewayListener {
  /** A new session for these servers: what happened before it may never be told. */
  readonly began: (isConcerned: (serverId: string) => boolean) => void
  readonly heard: (event: ChatEvent) => void
  /** Something happened in these servers that was never told: the numbers of what was told have a gap. */
  readonly missed: (isConcerned: (serverId: string) => boolean) => void
  /** `provenAgeMs` may be better or worse than a moment ago. */
  readonly changed: () => void
}

/**
 * - `connecting`: on its way, or waiting to try again.
 * - `connected`: every part of the connection is up.
 * - `refused`: the platform will not have us until somebody mends what `problem` says.
 */
export type ChatGatewayState = 'closed' | 'connecting' | 'connected' | 'refused'

export interface ChatGatewayStatus {
  readonly state: ChatGatewayState
  /** What is wrong and how to mend it, in one sentence. */
  readonly problem: string | null
  /** Connections that the platform asked for. */
  readonly shards: number
  /** Between a question and its answer, of the slowest connection; null while none has answered. */
  readonly latencyMs: number | null
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
  readonly longestPauseMs: number
  /** First pause after a refusal: somebody has to mend it, and each try is counted against us. */
  readonly refusedPauseMs: number
  /** Least time between two new sessions. */
  readonly identifyEveryMs: number
  /** A session that ends sooner than this counts as failed; each further failure doubles the pause before the next. */
  readonly lastingSessionMs: number
  readonly maxIdentifyPauseMs: number
}

/** The platform's live connection. It reconnects by itself for as long as it is open. */
export interface ChatGateway {
  /** Begins to connect and returns at once. */
  open(listener: ChatGatewayListener): void
  status(): ChatGatewayStatus
  /**
   * Milliseconds since the moment up to which everything about this server has been told, or undefined
   * when the connection cannot vouch for it.
   */
  provenAgeMs(serverId: string): number | undefined
  close(): Promise<void>
}
