import { DefaultRestOptions, DiscordAPIError, HTTPError, RateLimitError, REST } from '@discordjs/rest'
import type { Log } from '#platform/log'
import { ChatPlatformError, type Priority } from '../../chat-platform.ts'
import { userAgent } from '../user-agent.ts'
import type { Buckets } from './buckets.ts'
import { type DiscordBudget, recordingResponse } from './budget.ts'

/** The longest duration of a call, with its waits and retries. A person waits for a sign-in, but not for a sync. */
const deadlineMs: Record<Priority, number> = { login: 4_000, background: 10_000 }
/** If Discord asks for a longer pause than this, the call fails as during an outage. */
const maxPauseMs = 2_000

export interface DiscordRestOptions {
  readonly apiUrl: string
  readonly botToken: string
  readonly log: Log
  readonly budget: DiscordBudget
  /** Waits for a turn, so that all instances together stay below Discord's limit per second. */
  readonly pace?: Pace
  /** Waits while Discord reports a route as exhausted. */
  readonly buckets?: Buckets
}

/** Waits until a request with this priority may be sent. */
export type Pace = (priority: Priority, signal: AbortSignal | null) => Promise<void>

/** Sends a GET request to Discord's REST API, and returns the body. */
export type DiscordGet = <T>(route: `/${string}`, priority: Priority, query?: URLSearchParams) => Promise<T>

/**
 * Creates the function that reads from Discord with the bot token. Sign-ins and background work have separate clients.
 * A client sends only one request per route and server at a time, so a sync would otherwise delay sign-ins.
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
      // After a 401, the library deletes the token, and then fails without sending requests.
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
    // The library would retry a 429 without `Retry-After` immediately, in a loop. A long pause would outlast every
    // caller.
    rejectOnRateLimit: ({ retryAfter, timeToReset }) =>
      retryAfter === 0 || retryAfter > maxPauseMs || timeToReset > maxPauseMs,
    // Sends every request, including the retries of the library.
    makeRequest: async (url, init) => {
      const signal = init.signal ?? null
      const route = new URL(url).pathname
      await buckets?.wait(route, priority, signal)
      await pace?.(priority, signal)
      const spending = { lane: priority, serverId: /\/guilds\/(\d+)/.exec(route)?.[1] }
      await budget.spendAfterPause(spending)
      const sentAt = performance.now()
      // Replaces the name of the library, because Discord requires the name of the application.
      const headers = { ...init.headers, 'User-Agent': userAgent }
      const sent = DefaultRestOptions.makeRequest(url, { ...init, headers })
      const response = await recordingResponse(budget, spending, sent)
      budget.recordLatency(performance.now() - sentAt)
      await buckets?.record(route, response)
      return response
    },
  })
  client.on('invalidRequestWarning', ({ count, remainingTime }) =>
    log.warn({ count, remainingTimeMs: remainingTime }, 'Discord rejects many requests'),
  )
  return client.setToken(botToken)
}

/**
 * Returns true if Discord says that the user is not a member. Only these two codes mean that: unknown member, and
 * unknown user.
 */
export const isNotAMember = (error: unknown) =>
  error instanceof ChatPlatformError && (error.platformCode === 10_007 || error.platformCode === 10_013)

/** Converts errors of the library, which contain the address and the body of the request, to errors without them. */
function toChatPlatformError(error: unknown): ChatPlatformError {
  if (error instanceof ChatPlatformError) return error
  if (error instanceof DiscordAPIError) {
    const failure = error.status === 429 ? 'unavailable' : 'refused'
    return new ChatPlatformError(
      failure,
      `Discord returned status ${error.status}.`,
      error.status,
      error.code,
    )
  }
  if (error instanceof RateLimitError) {
    return new ChatPlatformError('unavailable', 'Discord rate-limits requests.', 429)
  }
  if (error instanceof HTTPError) {
    return new ChatPlatformError('unavailable', `Discord returned status ${error.status}.`, error.status)
  }
  if (error instanceof SyntaxError) {
    return new ChatPlatformError('unexpected', 'Discord sent a response that is not JSON.')
  }
  return new ChatPlatformError('unavailable', 'Discord did not respond in time.')
}
