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

/** The used part of the platform's limits, and the number of refused requests. */
export interface ChatBudget {
  /**
   * The number of requests per second that all instances together may send, and how many of them this instance can send
   * now.
   */
  readonly perSecond: number
  readonly remaining: number
  /** The duration of the last request. Null before the first one. */
  readonly latencyMs: number | null
  readonly sentLastMinute: Readonly<Record<Priority | 'oauth', number>>
  /** The number of 401, 403, and 429 responses to this instance. The platform bans an IP address at 10,000. */
  readonly refusedLast10Minutes: number
  /** The same number for all instances that share the cache, as it was last read. */
  readonly refusedTogether: number
  /**
   * The kinds of requests that are suspended, because the platform would refuse them: `token`, `client`, `rate`,
   * `oauth`, `total`, or `server <id>`.
   */
  readonly open: readonly { readonly name: string; readonly nextTryInMs: number }[]
}

/** The priority of a request when the platform's limit makes requests wait. */
export type Priority = 'login' | 'background'

/**
 * The chat platform, in the terms of this service. Every method has a time limit, and throws `ChatPlatformError`. In
 * particular, a member is undefined only if the platform explicitly responds that the user is not in the server.
 */
export interface ChatPlatform {
  /** Returns the address of the platform's sign-in screen for this `state` and verifier (PKCE, RFC 7636). */
  authorizeUrl(login: { state: string; codeVerifier: string }): Promise<string>
  /** Returns true if `iss` is missing or belongs to the platform (RFC 9207). */
  isIssuer(iss: string | undefined): boolean
  /**
   * Exchanges a code of the platform, which works once, and reads its user. No token of the platform is stored. `from`
   * is the rate limit bucket of the caller's IP address. Addresses take turns, so that one of them cannot block the
   * others.
   */
  identify(login: { code: string; codeVerifier: string; from: string }): Promise<ChatUser>
  /** Returns a member of a server, or undefined if the platform responds that the user is not in the server. */
  member(serverId: string, userId: string, priority: Priority): Promise<ChatMember | undefined>
  /** Returns a server with its roles. */
  server(serverId: string, priority: Priority): Promise<ChatServerInfo>
  /**
   * Returns up to `limit` members with IDs after `after`, in ascending order. If there are fewer, the list ends there.
   */
  members(serverId: string, after: string, limit: number): Promise<ChatMember[]>
  /** Returns how much of the platform's limits this instance uses. */
  budget(): ChatBudget
  /** Creates the gateway connection, which must then be opened. */
  gateway(timing?: Partial<ChatGatewayTiming>): ChatGateway
  /** Returns an image as it is now. Returns undefined if the platform has none with this hash. */
  image(name: ChatImageName): Promise<ChatImage | undefined>
  /** Returns the servers that the bot is in. */
  servers(): Promise<ChatServerName[]>
  /** Returns the address at which the manager of a server can invite the bot. */
  inviteUrl(): string
  /** Returns the name of the bot. For `doctor`. */
  bot(): Promise<string>
  /** Returns true if the platform accepts the OAuth client ID and secret. For `doctor`. */
  isClientAccepted(): Promise<boolean>
  /** Returns what the platform knows about this application. For `doctor`. */
  application(): Promise<ChatApplication>
}

/**
 * The reason why a request has failed:
 *
 * - `unavailable`: there was no response, a 5xx status, or too many requests. A later attempt can succeed.
 * - `refused`: another attempt would fail, too, for example because of an invalid code or token, or a missing
 *   permission.
 * - `unexpected`: the response is invalid.
 */
export type ChatPlatformFailure = 'unavailable' | 'refused' | 'unexpected'

/** An error of the platform. It contains no address, body, or header of the request, because these contain secrets. */
export class ChatPlatformError extends Error {
  override readonly name = 'ChatPlatformError'
  readonly failure: ChatPlatformFailure
  /** The status and the error code of the platform, if it has responded. */
  readonly status: number | undefined
  readonly platformCode: string | number | undefined

  constructor(failure: ChatPlatformFailure, what: string, status?: number, platformCode?: string | number) {
    super(what)
    this.failure = failure
    this.status = status
    this.platformCode = platformCode
  }
}
