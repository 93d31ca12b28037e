import { setTimeout as sleep } from 'node:timers/promises'
import type { Cache } from '#platform/cache/cache'
import type { Log } from '#platform/log'
import { type ChatBudget, ChatPlatformError, type Priority } from '../../chat-platform.ts'
import { type BreakerOptions, type CircuitBreaker, createCircuitBreaker } from '../../circuit-breaker.ts'

const minute = 60_000
const pauses = { firstPauseMs: 30_000, maxPauseMs: 10 * minute }
/** Discord usually states when a limit ends. If not, these pauses are used. */
const limitPauses = { firstPauseMs: 1_000, maxPauseMs: 10 * minute }
/** The time for which a sign-in waits for the end of a limit. Then it fails: Discord is busy. */
const maxLoginWaitMs = 2_500
const checkEveryMs = 25

/**
 * The limits at which each kind of request is suspended. Discord bans an IP address for a day after 10,000 refused
 * requests in ten minutes. Each reason for a refusal has its own breaker. So a server that refuses the bot does not
 * stop the others, and failed sign-ins of unknown clients do not stop the bot.
 */
const limits = {
  token: { threshold: 10, windowMs: minute, ...pauses },
  client: { threshold: 10, windowMs: minute, ...pauses },
  rate: { threshold: 30, windowMs: minute, ...limitPauses },
  // Discord does not report how much of this limit is left, so the first 429 counts.
  oauth: { threshold: 1, windowMs: minute, ...limitPauses },
  server: { threshold: 20, windowMs: minute, ...pauses },
  total: { threshold: 1_000, windowMs: 10 * minute, ...pauses },
} satisfies Record<string, BreakerOptions>

type Kind = keyof typeof limits

/**
 * The number of refusals in ten minutes that all instances together may have. Instances behind the same IP address are
 * banned together.
 */
const maxRefusalsTogether = 2_000
/** The number of requests per second, below Discord's limit of 50. `pace.ts` enforces it. */
const perSecond = 48

const problems: Record<Kind, string> = {
  token: 'Discord rejects the bot token. Set CHAT_BOT_TOKEN to the current token and restart.',
  client: 'Discord rejects CHAT_CLIENT_ID and CHAT_CLIENT_SECRET. Correct them and restart.',
  rate: 'Discord rate-limits requests. Rolecall retries automatically.',
  oauth: 'Discord rate-limits sign-ins. They resume automatically.',
  server: 'Discord denies access to a server. Check that the bot is a member with its permissions.',
  total: 'Discord rejects too many requests. Rolecall pauses and retries automatically.',
}

/** A request, with what its budget depends on. */
export interface Spending {
  readonly lane: Priority | 'oauth'
  /** The server that the request is about. */
  readonly serverId?: string | undefined
  /** True if the request uses the token of a member. A refusal then concerns only that member. */
  readonly usesMemberToken?: boolean
}

/** The response to a request. */
export interface Outcome {
  readonly status: number
  readonly headers: Pick<Headers, 'get'>
}

/** Decides whether a request may be sent, and counts the refusals. */
export interface DiscordBudget {
  /** Waits for the end of a short pause, but does not count a request. */
  waitForPause(spending: Spending): Promise<void>
  /** Returns the time until such a request may be sent in milliseconds. 0 means now. */
  pauseMs(spending: Spending): number
  /**
   * Counts a request that is about to be sent.
   *
   * @throws ChatPlatformError if Discord would refuse the request
   */
  spend(spending: Spending): void
  /**
   * Like `spend`, but waits for the end of a short pause. The first sign-in after the pause is the test.
   *
   * @throws ChatPlatformError if the pause is too long
   */
  spendAfterPause(spending: Spending): Promise<void>
  /**
   * Records the response, or undefined if there was none. A limit that others have used up (`shared`) does not count as
   * a refusal.
   */
  recordResponse(spending: Spending, outcome: Outcome | undefined): void
  /** Records the duration of the last request in milliseconds. */
  recordLatency(ms: number): void
  state(): ChatBudget
}

/** Creates the budget of one instance for one Discord application. */
export function createDiscordBudget(log: Log, cache: Cache, now = () => performance.now()): DiscordBudget {
  const breakers = new Map<string, CircuitBreaker>()
  const sent: { at: number; lane: Spending['lane'] }[] = []
  let refusals: number[] = []
  let shared = { total: 0, at: 0 }
  let lastLatencyMs: number | null = null

  const breaker = (kind: Kind, serverId?: string): CircuitBreaker => {
    const key = kind === 'server' ? `server ${serverId}` : kind
    const known = breakers.get(key)
    if (known) return known
    const made = createCircuitBreaker(limits[kind], now)
    breakers.set(key, made)
    return made
  }

  /** Counts a refusal in the cache. If all instances together have too many, suspends all requests. */
  const countForAllInstances = async () => {
    const total = await cache.count('chat-refused', 1, 10 * minute)
    if (total === undefined) return
    shared = { total, at: now() }
    const guard = breaker('total')
    if (total < maxRefusalsTogether || guard.openForMs() !== undefined) return
    guard.trip()
    log.error({ refusals: total }, problems.total)
  }

  /** Returns the first kind of this request that is suspended, or undefined. */
  const findSuspended = (spending: Spending): Kind | undefined => {
    const priority = spending.lane === 'oauth' ? 'login' : spending.lane
    return kindsOf(spending).find((kind) => !breaker(kind, spending.serverId).allows(priority))
  }
  const spend = (spending: Spending) => {
    const { lane, serverId } = spending
    const refused = findSuspended(spending)
    if (refused) throw new ChatPlatformError('unavailable', problems[refused])
    for (const kind of kindsOf(spending)) breaker(kind, serverId).recordRequest()
    sent.push({ at: now(), lane })
    while ((sent[0]?.at ?? now()) < now() - minute) sent.shift()
  }
  const pauseMs = (spending: Spending): number => {
    const kind = findSuspended(spending)
    // During a test, its response decides how long the wait is.
    return kind === undefined ? 0 : Math.max(checkEveryMs, breaker(kind, spending.serverId).openForMs() ?? 0)
  }

  return {
    pauseMs,
    async waitForPause(spending) {
      const deadline = now() + maxLoginWaitMs
      for (let waitMs = pauseMs(spending); waitMs > 0; waitMs = pauseMs(spending)) {
        if (spending.lane === 'background' || now() + waitMs > deadline) return
        await sleep(Math.min(waitMs, checkEveryMs))
      }
    },
    spend,
    async spendAfterPause(spending) {
      const deadline = now() + maxLoginWaitMs
      for (;;) {
        const waitMs = pauseMs(spending)
        // The check and `spend` run in the same synchronous step. So of all requests that waited for the end of a
        // pause, only one becomes the test, and the others continue to wait.
        if (waitMs === 0 || spending.lane === 'background' || now() + waitMs > deadline)
          return spend(spending)
        await sleep(Math.min(waitMs, checkEveryMs))
      }
    },
    recordResponse(spending, outcome) {
      if (!outcome) {
        for (const kind of kindsOf(spending)) breaker(kind, spending.serverId).recordResponse(false)
        return
      }
      const { status, headers } = outcome
      const isShared = headers.get('x-ratelimit-scope') === 'shared'
      const reason = status === 429 && isShared ? undefined : refusalReason(status, spending)
      const retryAfterMs = status === 429 ? retryAfterOf(headers) : undefined
      for (const kind of kindsOf(spending)) {
        const one = breaker(kind, spending.serverId)
        if (reason === undefined) one.recordResponse(status < 500 && status !== 429)
        // A request that was refused for one reason says little about the other reasons. But it may show that the token
        // is valid.
        else if (kind !== reason && kind !== 'total') one.recordResponse(clearsReason(kind, status))
        else {
          const wasOpen = one.openForMs() !== undefined
          one.recordRefusal(kind === reason ? retryAfterMs : undefined)
          if (!wasOpen && one.openForMs() !== undefined)
            log.error({ serverId: spending.serverId }, problems[kind])
        }
      }
      if (reason === undefined) return
      refusals.push(now())
      if (refusals.length > 2_000) refusals = refusals.slice(-1_000)
      void countForAllInstances()
    },
    recordLatency(ms) {
      lastLatencyMs = Math.round(ms)
    },
    state() {
      const open = [...breakers].flatMap(([name, one]) => {
        const openForMs = one.openForMs()
        return openForMs === undefined ? [] : [{ name, nextTryInMs: Math.round(openForMs) }]
      })
      const count = (lane: Spending['lane'], ms = minute) =>
        sent.filter((one) => one.lane === lane && one.at > now() - ms).length
      const refusedLast10Minutes = refusals.filter((at) => at > now() - 10 * minute).length
      return {
        perSecond,
        remaining: Math.max(0, perSecond - count('login', 1_000) - count('background', 1_000)),
        latencyMs: lastLatencyMs,
        sentLastMinute: { login: count('login'), background: count('background'), oauth: count('oauth') },
        refusedLast10Minutes,
        refusedTogether: Math.max(now() - shared.at < 10 * minute ? shared.total : 0, refusedLast10Minutes),
        open,
      }
    },
  }
}

/** Waits for a response, records it in the budget, and returns it. Also records a missing response. */
export async function recordingResponse<T extends Outcome>(
  budget: DiscordBudget,
  spending: Spending,
  response: Promise<T>,
): Promise<T> {
  let outcome: T | undefined
  try {
    outcome = await response
    return outcome
  } finally {
    budget.recordResponse(spending, outcome)
  }
}

/** Returns true if a refusal with this status shows that another reason for refusals is gone. */
const clearsReason = (kind: Kind, status: number) =>
  (kind === 'token' && status === 403) || (kind === 'oauth' && status !== 429)

const kindsOf = ({ lane, serverId, usesMemberToken }: Spending): Kind[] =>
  usesMemberToken
    ? ['total']
    : lane === 'oauth'
      ? ['client', 'oauth', 'total']
      : ['token', 'rate', 'total', ...(serverId ? (['server'] as const) : [])]

function refusalReason(status: number, { lane, serverId, usesMemberToken }: Spending): Kind | undefined {
  if (usesMemberToken) return status === 403 || status === 429 ? 'total' : undefined
  if (status === 401) return lane === 'oauth' ? 'client' : 'token'
  // Discord's edge refuses the codes of single unknown clients. That says nothing about the next sign-in.
  if (status === 403 && lane === 'oauth') return 'total'
  if (status === 403) return serverId ? 'server' : 'rate'
  if (status !== 429) return undefined
  return lane === 'oauth' ? 'oauth' : 'rate'
}

/** Reads `Retry-After`, in seconds. Discord never sends a date. */
function retryAfterOf(headers: Outcome['headers']): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return seconds > 0 ? seconds * 1_000 : undefined
}
