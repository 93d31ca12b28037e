import type { Cache } from '#platform/cache/cache'
import type { Log } from '#platform/log'
import { type ChatBudget, ChatPlatformError, type Priority } from './chat-platform.ts'
import { type BreakerOptions, type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts'

const minute = 60_000
const pauses = { firstPauseMs: 30_000, longestPauseMs: 10 * minute }

/**
 * The platform bans an address for a day after 10,000 refused requests in ten minutes. Each reason for a
 * refusal has a breaker of its own, so that one server that refuses us does not stop the others.
 */
const limits = {
  token: { threshold: 10, windowMs: minute, ...pauses },
  client: { threshold: 10, windowMs: minute, ...pauses },
  rate: { threshold: 30, windowMs: minute, ...pauses },
  server: { threshold: 20, windowMs: minute, ...pauses },
  total: { threshold: 1_000, windowMs: 10 * minute, ...pauses },
} satisfies Record<string, BreakerOptions>

type Kind = keyof typeof limits

/** Instances behind one address are banned together: what all of them may have refused in ten minutes. */
const mostTogether = 2_000
/** Of the platform's 50; `discord-pace.ts` keeps it. */
const perSecond = 48

const why: Record<Kind, string> = {
  token: 'The chat platform refuses the bot token: set CHAT_BOT_TOKEN to the current one and restart.',
  client: 'The chat platform refuses CHAT_CLIENT_ID and CHAT_CLIENT_SECRET: correct them and restart.',
  rate: 'The chat platform limits our requests. They go on by themselves.',
  server: 'The chat platform refuses to show a server: is the bot in it, with its permissions?',
  total: 'The chat platform refuses too many requests. They go on by themselves.',
}

/** A request as far as its budget is concerned. */
export interface Spending {
  readonly lane: Priority | 'oauth'
  /** The server that it asks about. */
  readonly serverId?: string | undefined
}

export interface DiscordBudget {
  /** @throws ChatPlatformError when asking would only be refused again */
  spend(spending: Spending): void
  /** What came of it. `isShared`: a limit that others have used up is not counted against us. */
  settle(spending: Spending, status: number, isShared: boolean): void
  /** How long the last answer took. */
  took(ms: number): void
  state(): ChatBudget
}

/** One for each instance and platform account. */
export function createDiscordBudget(log: Log, cache: Cache, now = () => performance.now()): DiscordBudget {
  const breakers = new Map<string, CircuitBreaker>()
  const sent: { at: number; lane: Spending['lane'] }[] = []
  let refusals: number[] = []
  let heard = { total: 0, at: 0 }
  let lastLatencyMs: number | null = null

  const breaker = (kind: Kind, serverId?: string): CircuitBreaker => {
    const key = kind === 'server' ? `server ${serverId}` : kind
    const known = breakers.get(key)
    if (known) return known
    const made = createCircuitBreaker(limits[kind], now)
    breakers.set(key, made)
    return made
  }

  const countTogether = async () => {
    const total = await cache.count('chat-refused', 1, 10 * minute)
    if (total === undefined) return
    heard = { total, at: now() }
    const guard = breaker('total')
    if (total < mostTogether || guard.openForMs() !== undefined) return
    guard.trip()
    log.error({ refusals: total }, why.total)
  }

  return {
    spend(spending) {
      const { lane, serverId } = spending
      const kinds = kindsOf(spending)
      const priority = lane === 'oauth' ? 'login' : lane
      const refusing = kinds.find((kind) => !breaker(kind, serverId).admits(priority))
      if (refusing) throw new ChatPlatformError('unavailable', why[refusing])
      for (const kind of kinds) breaker(kind, serverId).began()
      sent.push({ at: now(), lane })
      while ((sent[0]?.at ?? now()) < now() - minute) sent.shift()
    },
    settle(spending, status, isShared) {
      const reason = status === 429 && isShared ? undefined : reasonOf(status, spending)
      for (const kind of kindsOf(spending)) {
        const one = breaker(kind, spending.serverId)
        if (reason === undefined) one.answered(status < 500 && status !== 429)
        // Refused for one reason, a request says little of the others; but a token that is understood is good.
        else if (kind !== reason && kind !== 'total') one.answered(kind === 'token' && status === 403)
        else {
          const wasOpen = one.openForMs() !== undefined
          one.refused()
          if (!wasOpen && one.openForMs() !== undefined) log.error({ serverId: spending.serverId }, why[kind])
        }
      }
      if (reason === undefined) return
      refusals.push(now())
      if (refusals.length > 2_000) refusals = refusals.slice(-1_000)
      void countTogether()
    },
    took(ms) {
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
        refusedTogether: Math.max(now() - heard.at < 10 * minute ? heard.total : 0, refusedLast10Minutes),
        open,
      }
    },
  }
}

const kindsOf = ({ lane, serverId }: Spending): Kind[] =>
  lane === 'oauth'
    ? ['client', 'rate', 'total']
    : ['token', 'rate', 'total', ...(serverId ? (['server'] as const) : [])]

function reasonOf(status: number, { lane, serverId }: Spending): Kind | undefined {
  if (status === 401) return lane === 'oauth' ? 'client' : 'token'
  if (status === 403) return lane !== 'oauth' && serverId ? 'server' : 'rate'
  return status === 429 ? 'rate' : undefined
}
