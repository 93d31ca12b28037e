import type { ChatInstrumentation } from './chat-instrumentation.ts'
import { ChatPlatformError } from './chat-platform.ts'

type Outcome = 'answered' | 'refused' | 'unavailable' | 'unexpected'

/** The number and total duration of requests with the same operation and outcome since the start of this instance. */
export interface RequestCount {
  readonly operation: string
  readonly outcome: Outcome
  count: number
  seconds: number
}

/** The observations of this instance about the chat platform. Times come from a monotonic clock. */
export interface PlatformWatch extends ChatInstrumentation {
  readonly requestCounts: () => readonly RequestCount[]
  /** Returns the time at which the last request ended, its duration, and its problem or null. */
  readonly lastRequest: () =>
    | { readonly at: number; readonly latencyMs: number; readonly problem: string | null }
    | undefined
  /** Returns the number of events that the gateway has received since the start of this instance. */
  readonly countEvents: () => number
}

/** Creates an observer of every request to the platform, and every event of its gateway. */
export function createPlatformWatch(now = () => performance.now()): PlatformWatch {
  const requestCounts = new Map<string, RequestCount>()
  let last: ReturnType<PlatformWatch['lastRequest']>
  let events = 0

  const record = (operation: string, outcome: Outcome, since: number, problem: string | null) => {
    const at = now()
    const key = `${operation} ${outcome}`
    const row = requestCounts.get(key) ?? { operation, outcome, count: 0, seconds: 0 }
    row.count += 1
    row.seconds += (at - since) / 1_000
    requestCounts.set(key, row)
    last = { at, latencyMs: at - since, problem }
  }
  return {
    async run(operation, request) {
      const since = now()
      try {
        const response = await request()
        record(operation, 'answered', since, null)
        return response
      } catch (error) {
        if (error instanceof ChatPlatformError) {
          record(operation, error.failure, since, isDown(error) ? error.message : null)
        }
        throw error
      }
    },
    received() {
      events += 1
    },
    requestCounts: () => [...requestCounts.values()],
    lastRequest: () => last,
    countEvents: () => events,
  }
}

/**
 * Returns true if the platform does not respond properly, or rejects the credentials of this service. The refusal of a
 * single request is a normal response.
 */
const isDown = ({ failure, status }: ChatPlatformError) => failure !== 'refused' || status === 401
