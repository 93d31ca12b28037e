import { DefaultRestOptions, DiscordAPIError, HTTPError, RateLimitError, REST } from '@discordjs/rest'
import type { Log } from '#platform/log'
import { ChatPlatformError, type Priority } from '../../chat-platform.ts'
import { userAgent } from '../user-agent.ts'
import type { Buckets } from './buckets.ts'
import { type DiscordBudget, settled } from './budget.ts'

/** The longest duration of one call, with queue and retries: a person waits for a sign-in, but not for a sync. */
const deadlineMs: Record<Priority, number> = { login: 4_000, background: 10_000 }
/** A longer pause of the platform is an outage for its callers. */
const maxPauseMs = 2_000

export interface DiscordRestOptions {
  readonly apiUrl: string
  readonly botToken: string
  readonly log: Log
  readonly budget: DiscordBudget
  /** Waits for a turn, so that all instances together observe the platform's limit per second. */
  readonly pace?: Pace
  /** Waits while the platform reports a route as exhausted. */
  readonly buckets?: Buckets
}

export type Pace = (priority: Priority, signal: AbortSignal | null) => Promise<void>

export type DiscordGet = <T>(route: `/${string}`, priority: Priority, query?: URLSearchParams) => Promise<T>

/**
 * Creates the reader that uses the bot token. Sign-ins and background work have a client each, because one client
 * sends one request per route and server at a time: a sync must not make a sign-in wait.
 */
export function createDiscordRest(options: DiscordRestOptions): DiscordGet {
  const clients: Record<Priority, REST> = {
    login: createClient(options, 'login'),
    background: createClient(options, 'background'),
  }
  return async <T>(route: `/${string}`, priority: Priority, query?: URLSearchParams) => {
    const signal = AbortSignal.timeout(deadlineMs[priority])
    try {
      return (await clients[priority].get(route, { signal, ...(query && { query }) })) as T
    } catch (error) {
      // The library deletes the token after a 401, and then fails without a request to the platform.
      if (error instanceof DiscordAPIError && error.status === 401)
        clients[priority].setToken(options.botToken)
      throw toChatPlatformError(error)
    }
  }
}

function createClient(options: DiscordRestOptions, priority: Priority): REST {
  const { apiUrl, botToken, log, budget, pace, buckets } = options
  const client = new REST({
    version: '10',
    api: apiUrl,
    timeout: 3_000,
    retries: 1,
    invalidRequestWarningInterval: 50,
    // A 429 without Retry-After would be retried at once, in a loop; a long one outlives every caller.
    rejectOnRateLimit: ({ retryAfter, timeToReset }) =>
      retryAfter === 0 || retryAfter > maxPauseMs || timeToReset > maxPauseMs,
    // Sends each request, also the library's retries.
    makeRequest: async (url, init) => {
      const signal = init.signal ?? null
      const route = new URL(url).pathname
      await buckets?.turn(route, priority, signal)
      await pace?.(priority, signal)
      const spending = { lane: priority, serverId: /\/guilds\/(\d+)/.exec(route)?.[1] }
      await budget.spendInTurn(spending)
      const sentAt = performance.now()
      // Replaces the library's name, because the platform requires the name of the application.
      const headers = { ...init.headers, 'User-Agent': userAgent }
      const sent = DefaultRestOptions.makeRequest(url, { ...init, headers })
      const response = await settled(budget, spending, sent)
      budget.took(performance.now() - sentAt)
      await buckets?.note(route, response)
      return response
    },
  })
  client.on('invalidRequestWarning', ({ count, remainingTime }) =>
    log.warn({ count, remainingTimeMs: remainingTime }, 'chat platform rejects many requests'),
  )
  return client.setToken(botToken)
}

/** Returns true for "not a member", which only these two codes state: unknown member, unknown user. */
export const isNotAMember = (error: unknown) =>
  error instanceof ChatPlatformError && (error.platformCode === 10_007 || error.platformCode === 10_013)

/** Converts errors of the library, which contain the request's address and body, to errors without them. */
function toChatPlatformError(error: unknown): ChatPlatformError {
  if (error instanceof ChatPlatformError) return error
  if (error instanceof DiscordAPIError) {
    const failure = error.status === 429 ? 'unavailable' : 'refused'
    return new ChatPlatformError(
      failure,
      `The chat platform returned status ${error.status}.`,
      error.status,
      error.code,
    )
  }
  if (error instanceof RateLimitError) {
    return new ChatPlatformError('unavailable', 'The chat platform rate-limits requests.', 429)
  }
  if (error instanceof HTTPError) {
    return new ChatPlatformError(
      'unavailable',
      `The chat platform returned status ${error.status}.`,
      error.status,
    )
  }
  if (error instanceof SyntaxError) {
    return new ChatPlatformError('unexpected', 'The chat platform sent a response that is not JSON.')
  }
  return new ChatPlatformError('unavailable', 'The chat platform did not respond in time.')
}
