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

/** The use of the platform's limits, and its refusals. */
export interface ChatBudget {
  /** The maximum number of requests in a second of all instances together, and the number left to this one now. */
  readonly perSecond: number
  readonly remaining: number
  /** The duration of the last request; null before the first. */
  readonly latencyMs: number | null
  readonly sentLastMinute: Readonly<Record<Priority | 'oauth', number>>
  /** The number of responses 401, 403, and 429. The platform bans an address at 10,000. */
  readonly refusedLast10Minutes: number
  /** The number of refusals of all instances that share the cache, as last read. */
  readonly refusedTogether: number
  /**
   * The suspended kinds of requests, which would be refused: `token`, `client`, `rate`, `oauth`, `total`, `server
   * <id>`.
   */
  readonly open: readonly { readonly name: string; readonly nextTryInMs: number }[]
}

/** The priority of a request when the platform's limit makes requests wait. */
export type Priority = 'login' | 'background'

/**
 * The chat platform in the terms of this service. Every method has a time limit and throws `ChatPlatformError`. Only
 * `undefined` for a member means that the platform stated that the user is not in the server.
 */
export interface ChatPlatform {
  /** Returns the platform's OAuth screen, bound to `state` and to the verifier's challenge (RFC 7636). */
  authorizeUrl(login: { state: string; codeVerifier: string }): Promise<string>
  /** Returns true if `iss` is absent or the platform's own (RFC 9207). */
  isIssuer(iss: string | undefined): boolean
  /**
   * Exchanges the platform's code, once, and reads the user it belongs to. No token of the platform is stored. Callers
   * take turns by `from`, the name under which an address is counted, so that one address cannot block the others.
   */
  identify(login: { code: string; codeVerifier: string; from: string }): Promise<ChatUser>
  /** Returns the member of a server, or undefined if the platform states that this user is not in it. */
  member(serverId: string, userId: string, priority: Priority): Promise<ChatMember | undefined>
  /** Returns the server with its roles. */
  server(serverId: string, priority: Priority): Promise<ChatServerInfo>
  /** Returns members in ascending order of ID after `after`. Fewer than `limit` members mean the end of the list. */
  members(serverId: string, after: string, limit: number): Promise<ChatMember[]>
  /** Returns the use of the platform's limits by this instance. */
  budget(): ChatBudget
  /** Returns the live connection, which is closed until it is opened. */
  gateway(timing?: Partial<ChatGatewayTiming>): ChatGateway
  /** Returns a picture in its current form, or undefined if the platform has none under this hash. */
  image(asked: ChatImageName): Promise<ChatImage | undefined>
  /** Returns the servers that the bot is in, by ID. */
  servers(): Promise<ChatServerName[]>
  /** Returns the address where a server's manager invites the bot. */
  inviteUrl(): string
  /** Returns the name of the bot, for `doctor`. */
  bot(): Promise<string>
  /** Returns true if the platform accepts our OAuth client ID and secret, for `doctor`. */
  isClientAccepted(): Promise<boolean>
  /** Returns the platform's record of this application, for `doctor`. */
  application(): Promise<ChatApplication>
}

/**
 * - `unavailable`: no answer, a 5xx, or too many requests; try later.
 * - `refused`: a refusal that another attempt will not change (bad code, lost permission, bad bot token).
 * - `unexpected`: an invalid answer.
 */
export type ChatPlatformFailure = 'unavailable' | 'refused' | 'unexpected'

/** An error of the platform. It contains no address, body, or header of the request, because those contain secrets. */
export class ChatPlatformError extends Error {
  override readonly name = 'ChatPlatformError'
  readonly failure: ChatPlatformFailure
  /** The platform's own status and code, if it sent them. */
  readonly status: number | undefined
  readonly platformCode: string | number | undefined

  constructor(failure: ChatPlatformFailure, what: string, status?: number, platformCode?: string | number) {
    super(what)
    this.failure = failure
    this.status = status
    this.platformCode = platformCode
  }
}
