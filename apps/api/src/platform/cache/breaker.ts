import type { Logger } from 'pino'
import { LateError, singleFlight, withTimeout } from '#platform/async'
import { isOutage, isReply, reasonOf } from './outage.ts'

interface Options {
  /** The name of this cache in the log; free of secrets. */
  name: string
  /** The time that a caller waits for a command. */
  deadlineMs: number
  /** The time limit of a probe. It is longer than `deadlineMs`, because no caller waits for a probe. */
  probeDeadlineMs: number
  /** The pause between two probes, in which a lost connection can be replaced. */
  retryMs: number
  /** Runs a command that fails if the cache cannot execute the commands of callers. */
  probe: () => Promise<unknown>
  /** Called when a probe received no answer, so that the connection itself may be broken. */
  reset: () => void
  log: Pick<Logger, 'info' | 'warn'>
}

export interface Breaker {
  /** Returns true while commands are sent. */
  isUp(): boolean
  /**
   * Runs a command within the deadline. Returns `undefined` on any failure, and at once while not up. Never rejects.
   */
  run<T>(command: () => Promise<T>): Promise<T | undefined> | undefined
  /** Probes now until the result is certain, or joins a running check. Never rejects. */
  check(): Promise<boolean>
  /** Resolves with the first success or failure, at the latest after the deadline of a probe. */
  whenStarted(): Promise<void>
  /** Reports a failure outside of `run`, such as a lost connection. */
  fail(error: unknown): void
  close(): void
}

/** The number of failed probes in a row after which a cache that was up counts as down. */
const failuresToDown = 2

/**
 * Bypasses an unreachable cache, and distinguishes an outage from a single late response.
 *
 * starting → up ⇄ suspect → down → up, until closed. A missed deadline or a lost connection makes an up cache suspect:
 * from then on no caller waits, and only the breaker's own probes test the cache. A successful probe brings the cache
 * up without a log line, even if its answer is later than the callers' deadline. Two consecutive failures take the
 * cache down. A reply that means "not now" takes it down immediately. While down, a probe runs every `retryMs`. The
 * probe is a write, so that a read-only or full cache stays down instead of coming up with every probe and going down
 * with every request. Each outage and each return is logged once, here, regardless of the traffic.
 */
export function createBreaker(options: Options): Breaker {
  const { name, deadlineMs, probeDeadlineMs, retryMs, probe, reset, log } = options
  let state: 'starting' | 'up' | 'suspect' | 'down' | 'closed' = 'starting'
  let timer: NodeJS.Timeout | undefined
  let endStart = () => {}
  const start = new Promise<void>((resolve) => {
    endStart = resolve
  })
  const isClosed = () => state === 'closed'

  function succeed(): void {
    if (state === 'closed') return
    if (state === 'down') log.info({ cache: name }, 'cache reachable again')
    state = 'up'
    endStart()
  }

  function fail(error: unknown): void {
    if (state === 'up' && !isReply(error)) {
      state = 'suspect'
      void check()
    } else if (state === 'up' || state === 'starting') goDown(error)
  }

  function goDown(error: unknown): void {
    if (state === 'down' || state === 'closed') return
    log.warn({ cache: name, reason: reasonOf(error) }, 'cache unreachable: continuing without it')
    state = 'down'
    endStart()
    probeLater()
  }

  function probeLater(): void {
    clearTimeout(timer)
    if (state === 'down') timer = setTimeout(check, retryMs).unref()
  }

  const check = singleFlight(() => probeUntilCertain().finally(probeLater))

  async function probeUntilCertain(): Promise<boolean> {
    // The first failure is the cause; later ones often only show that the connection is being replaced.
    let cause: unknown
    for (let failures = 0; !isClosed(); ) {
      try {
        await withTimeout(probe(), probeDeadlineMs)
        succeed()
        return state === 'up'
      } catch (error) {
        failures += 1
        cause ??= error
        if (error instanceof LateError) reset()
        const mayRecover = state === 'up' || state === 'suspect'
        if (!mayRecover || isReply(error) || failures === failuresToDown) {
          goDown(isReply(error) ? error : cause)
          return false
        }
        state = 'suspect'
      }
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
    return false
  }

  return {
    isUp: () => state === 'up',

    run(command) {
      if (state !== 'up') return undefined
      return withTimeout(command(), deadlineMs).catch((error: unknown) => {
        if (isOutage(error)) fail(error)
        return undefined
      })
    },

    check,
    whenStarted: () => withTimeout(start, probeDeadlineMs).catch(() => {}),
    fail,

    close() {
      state = 'closed'
      clearTimeout(timer)
      endStart()
    },
  }
}
