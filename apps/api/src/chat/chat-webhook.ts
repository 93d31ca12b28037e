/** A short message in plain text. The adapter makes it fit, and makes nothing in it a link or a mention. */
export interface ChatMessage {
  readonly title: string
  readonly text: string
  readonly footer: string
  readonly at: Date
  readonly tone: 'good' | 'neutral' | 'warning'
}

/**
 * - `delivered`: the platform has it.
 * - `gone`: the address is no webhook any more; asking again would count against us.
 * - `refused`: the platform will never take this message.
 * - `limited`: too many, for this webhook or (`isGlobal`) for all of them.
 * - `failed`: no answer, or one that says nothing; it may have arrived all the same.
 * - `aborted`: we hung up ourselves.
 */
export type PostOutcome = 'delivered' | 'gone' | 'refused' | 'limited' | 'failed' | 'aborted'

/** What became of one try. Never holds a word of the address or of the answer. */
export interface ChatPost {
  readonly outcome: PostOutcome
  readonly status: number | null
  readonly error: string | null
  /** How long the platform wants to hear nothing at this webhook. */
  readonly pauseMs?: number | undefined
  readonly isGlobal?: boolean
}

/** Posts a message, once, to an address that was checked. Bounded in time; never throws. */
export type PostToWebhook = (url: string, message: ChatMessage, signal: AbortSignal) => Promise<ChatPost>
