/**
 * A short message in plain text. The adapter truncates it, and escapes it so that it contains no link or mention.
 */
export interface ChatMessage {
  readonly title: string
  readonly text: string
  readonly footer: string
  readonly at: Date
  readonly tone: 'good' | 'neutral' | 'warning'
}

/**
 * - `delivered`: the platform has it.
 * - `gone`: the address is no longer a webhook, and the platform counts further requests against this service.
 * - `refused`: the platform will never accept this message.
 * - `limited`: too many requests, for this webhook or (`isGlobal`) for all of them.
 * - `failed`: no answer, or an invalid one. The message may still have arrived.
 * - `aborted`: this service closed the connection.
 */
export type PostOutcome = 'delivered' | 'gone' | 'refused' | 'limited' | 'failed' | 'aborted'

/** The result of an attempt. It contains no part of the address or the answer. */
export interface ChatPost {
  readonly outcome: PostOutcome
  readonly status: number | null
  readonly error: string | null
  /** The time for which the platform wants no request to this webhook. */
  readonly pauseMs?: number | undefined
  readonly isGlobal?: boolean
}

/** Posts a message, once, to a validated address. Bounded in time; never throws. */
export type PostToWebhook = (url: string, message: ChatMessage, signal: AbortSignal) => Promise<ChatPost>
