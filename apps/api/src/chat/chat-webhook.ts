/**
 * A short plain-text message. The adapter truncates it, and escapes it so that it contains neither links nor mentions.
 */
export interface ChatMessage {
  readonly title: string
  readonly text: string
  readonly footer: string
  readonly at: Date
  readonly tone: 'good' | 'neutral' | 'warning'
}

/**
 * The result of an attempt to post a message:
 *
 * - `delivered`: the platform has accepted the message.
 * - `gone`: the webhook no longer exists. The platform counts further requests to it against this service.
 * - `refused`: the platform will never accept this message.
 * - `limited`: too many requests, for this webhook or, with `isGlobal`, for all of them.
 * - `failed`: there was no response, or an invalid one. The message may have arrived nevertheless.
 * - `aborted`: this service aborted the request.
 */
export type PostOutcome = 'delivered' | 'gone' | 'refused' | 'limited' | 'failed' | 'aborted'

/** The result of an attempt, without any part of the address or the response. */
export interface ChatPost {
  readonly outcome: PostOutcome
  readonly status: number | null
  readonly error: string | null
  /** The time in which the platform wants no further request to this webhook. */
  readonly pauseMs?: number | undefined
  readonly isGlobal?: boolean
}

/** Posts a message once, to an address that was validated. Its duration is limited. Never throws. */
export type PostToWebhook = (url: string, message: ChatMessage, signal: AbortSignal) => Promise<ChatPost>
