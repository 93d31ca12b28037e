import type { AroundChat } from '#chat/around-chat'
import { ChatPlatformError } from '#chat/chat-platform'

const tenMinutesMs = 10 * 60_000
/** More refusals than this are not told apart any more; the platform's own limit is 10,000. */
const mostRefusals = 10_000

/** What the platform leaves us to ask, on this instance. */
export interface PlatformRest {
  /** Requests that may be sent in this second before they wait; null when nobody counts them. */
  readonly remaining: number | null
  readonly perSecond: number | null
  /** Answers 401, 403 and 429 in the last ten minutes. */
  readonly invalidRequests: number
  /** What is not asked for now, by name. */
  readonly breaker: readonly string[]
}

type Outcome = 'answered' | 'refused' | 'unavailable' | 'unexpected'

/** How one kind of question fared since the start. */
export interface Asked {
  readonly operation: string
  readonly outcome: Outcome
  count: number
  seconds: number
}

/** What this instance has seen of the platform. Moments are of a clock that never jumps. */
export interface PlatformWatch extends AroundChat {
  readonly asked: () => readonly Asked[]
  /** The last question: when it was settled, how long it took, and what was wrong, if anything. */
  readonly last: () =>
    | { readonly at: number; readonly latencyMs: number; readonly problem: string | null }
    | undefined
  readonly events: () => number
  readonly lastEventAt: () => number | undefined
  readonly rest: () => PlatformRest
}

/** Watches every question to the platform, and every event of its gateway. */
export function createPlatformWatch(now = () => performance.now()): PlatformWatch {
  const asked = new Map<string, Asked>()
  let refusals: number[] = []
  let last: ReturnType<PlatformWatch['last']>
  let events = 0
  let lastEventAt: number | undefined

  const settle = (operation: string, outcome: Outcome, since: number, problem: string | null) => {
    const at = now()
    const key = `${operation} ${outcome}`
    const row = asked.get(key) ?? { operation, outcome, count: 0, seconds: 0 }
    row.count += 1
    row.seconds += (at - since) / 1_000
    asked.set(key, row)
    last = { at, latencyMs: at - since, problem }
  }
  return {
    async run(operation, ask) {
      const since = now()
      try {
        const answer = await ask()
        settle(operation, 'answered', since, null)
        return answer
      } catch (error) {
        if (error instanceof ChatPlatformError) {
          if ([401, 403, 429].includes(error.status ?? 0)) refusals.push(now())
          if (refusals.length > mostRefusals) refusals = refusals.slice(-mostRefusals / 2)
          settle(operation, error.failure, since, isDown(error) ? error.message : null)
        }
        throw error
      }
    },
    heard() {
      events += 1
      lastEventAt = now()
    },
    asked: () => [...asked.values()],
    last: () => last,
    events: () => events,
    lastEventAt: () => lastEventAt,
    rest() {
      refusals = refusals.filter((at) => at > now() - tenMinutesMs)
      return { remaining: null, perSecond: null, invalidRequests: refusals.length, breaker: [] }
    },
  }
}

/** A refusal of one thing is an answer; no answer at all, or no answer to us whoever we ask about, is not. */
const isDown = ({ failure, status }: ChatPlatformError) => failure !== 'refused' || status === 401
