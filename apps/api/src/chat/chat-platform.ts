import type { ChatGateway, ChatGatewayTiming } from './chat-gateway.ts'
import type {
  ChatApplication,
  ChatImage,
  ChatImageName,
  ChatMember,
  ChatServerInfo,
  ChatServerName,
  ChatUser,
} from './chat-objects.ts'

export type {
  ChatApplication,
  ChatImage,
  ChatImageName,
  ChatMember,
  ChatRole,
  ChatServerInfo,
  ChatServerName,
  ChatUser,
} from './chat-objects.ts'

/** What is asked of the platform, and what it refuses. */
export interface ChatBudget {
  /** Requests that all instances together send in a second at most, and how many this one has left of them now. */
  readonly perSecond: number
  readonly remaining: number
  /** How long the last answer took; null before the first. */
  readonly latencyMs: number | null
  readonly sentLastMinute: Readonly<Record<Priority | 'oauth', number>>
  /** 401, 403 and 429. The platform bans an address at 10,000. */
  readonly refusedLast10Minutes: number
  /** The same, counted by all instances that share the cache, as last heard. */
  readonly refusedTogether: number
  /** What is not asked for now because it would be refused: `token`, `client`, `rate`, `oauth`, `total`, `server <id>`. */
  readonly open: readonly { readonly name: string; readonly nextTryInMs: number }[]
}

/** What goes first when the platform lets us ask only so often. */
export type Priority = 'login' | 'background'

/**
 * The chat platform in this service's words. Every method is bounded in time and throws
 * `ChatPlatformError`; only `undefined` for a member is the platform's own word that there is none.
 */
export interface ChatPlatform {
  /** The platform's OAuth screen, bound to `state` and to the verifier's challenge (RFC 7636). */
  authorizeUrl(login: { state: string; codeVerifier: string }): Promise<string>
  /** True when `iss` is absent or the platform's own (RFC 9207). */
  isIssuer(iss: string | undefined): boolean
  /**
   * Exchanges the platform's code, once, and reads who it is for. No token of the platform is kept. Callers take
   * turns by `from`, the name under which an address is counted, so that one of them cannot keep the others out.
   */
  identify(login: { code: string; codeVerifier: string; from: string }): Promise<ChatUser>
  /** The member of a server, or undefined when the platform says that this user is not in it. */
  member(serverId: string, userId: string, priority: Priority): Promise<ChatMember | undefined>
  /** The server with its roles. */
  server(serverId: string, priority: Priority): Promise<ChatServerInfo>
  /** Members in ascending order of id after `after`; fewer than `limit` is the end. */
  members(serverId: string, after: string, limit: number): Promise<ChatMember[]>
  /** How much of what the platform allows is used, on this instance. */
  budget(): ChatBudget
  /** Returns the live connection, which is closed until it is opened. */
  gateway(timing?: Partial<ChatGatewayTiming>): ChatGateway
  /** A picture in its current form, or undefined when the platform has none under this hash. */
  image(asked: ChatImageName): Promise<ChatImage | undefined>
  /** The servers that the bot is in, by id. */
  servers(): Promise<ChatServerName[]>
  /** Where whoever manages a server invites the bot. */
  inviteUrl(): string
  /** The name of the bot, for `doctor`. */
  bot(): Promise<string>
  /** Whether the platform takes our OAuth client id and secret, for `doctor`. */
  isClientAccepted(): Promise<boolean>
  /** What the platform has on record of this application, for `doctor`. */
  application(): Promise<ChatApplication>
}

/**
 * - `unavailable`: no answer, a 5xx, or too busy for us; try later.
 * - `refused`: it answered no, and trying again will not help (bad code, lost permission, bad bot token).
 * - `unexpected`: an answer that makes no sense.
 */
export type ChatPlatformFailure = 'unavailable' | 'refused' | 'unexpected'

/** Carries no address, body or header of the request: those hold secrets. */
export class ChatPlatformError extends Error {
  override readonly name = 'ChatPlatformError'
  readonly failure: ChatPlatformFailure
  /** The platform's own status and code, where it gave them. */
  readonly status: number | undefined
  readonly platformCode: string | number | undefined

  constructor(failure: ChatPlatformFailure, what: string, status?: number, platformCode?: string | number) {
    super(what)
    this.failure = failure
    this.status = status
    this.platformCode = platformCode
  }
}
