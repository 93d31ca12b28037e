import type { ChatInstrumentation } from './chat-instrumentation.ts'
import { ChatPlatformError } from './chat-platform.ts'

type Outcome = 'answered' | 'refused' | 'unavailable' | 'unexpected'

/** The results of one kind of request since the start of this instance. */
export interface Asked {
  readonly operation: string
  readonly outcome: Outcome
  count: number
  seconds: number
}

/** The observations of this instance about the chat platform. Times come from a monotonic clock. */
export interface PlatformWatch extends ChatInstrumentation {
  readonly asked: () => readonly Asked[]
  /** Returns the time at which the last request ended, its duration, and its problem or null. */
  readonly last: () =>
    | { readonly at: number; readonly latencyMs: number; readonly problem: string | null }
    | undefined
  readonly events: () => number
}

/** Creates an observer of every request to the platform, and every event of its gateway. */
export function createPlatformWatch(now = () => performance.now()): PlatformWatch {
  const asked = new Map<string, Asked>()
  let last: ReturnType<PlatformWatch['last']>
  let events = 0

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
          settle(operation, error.failure, since, isDown(error) ? error.message : null)
        }
        throw error
      }
    },
    received() {
      events += 1
    },
    asked: () => [...asked.values()],
    last: () => last,
    events: () => events,
  }
}

/**
 * Returns true if the platform does not respond properly, or rejects the credentials of this service. The refusal of a
 * single request is a normal response.
 */
const isDown = ({ failure, status }: ChatPlatformError) => failure !== 'refused' || status === 401
