import type { Logger } from 'pino'
import { LateError, singleFlight, withTimeout } from '#platform/async'
import { isOutage, isReply, reasonOf } from './outage.ts'

interface Options {
  /** The name of the cache in the log. Must not contain secrets. */
  name: string
  /** The longest time that a caller waits for a command. */
  deadlineMs: number
  /**
   * The time limit of a probe, a test command of the breaker. It may be longer than `deadlineMs`, because no caller
   * waits for a probe.
   */
  probeDeadlineMs: number
  /** The pause between two probes. In this time, a lost connection can be replaced. */
  retryMs: number
  /** Runs a test command. It must fail whenever the commands of callers would fail. */
  probe: () => Promise<unknown>
  /** Called if a probe got no response, because the connection itself may be broken. */
  reset: () => void
  log: Pick<Logger, 'info' | 'warn'>
}

/** Decides whether commands are sent to the cache, and watches whether they succeed. */
export interface Breaker {
  /** Returns true if commands are currently sent to the cache. */
  isUp(): boolean
  /**
   * Runs a command within the deadline. Returns a promise of undefined if it fails. Returns undefined without a promise
   * while the cache is not up. Never rejects.
   */
  run<T>(command: () => Promise<T>): Promise<T | undefined> | undefined
  /** Probes the cache until the result is certain, or joins a check that is running. Never rejects. */
  check(): Promise<boolean>
  /** Waits for the first success or failure after the start, at most for the time limit of a probe. */
  whenStarted(): Promise<void>
  /** Reports a failure that happened outside of `run`, such as a lost connection. */
  fail(error: unknown): void
  close(): void
}

/** The number of failed probes in a row after which the cache counts as down. */
const failuresToDown = 2

/**
 * Creates a circuit breaker: it bypasses a cache that cannot be reached, and tells an outage from a single late
 * response.
 *
 * The states are: starting → up ⇄ suspect → down → up. A missed deadline or a lost connection makes a cache that is up
 * `suspect`. From then on, no caller waits for it, and only the breaker's own probes test it. A probe that succeeds
 * makes it `up` again without a log line, even if the response would be too late for callers. Two failures in a row
 * make it `down`. So does, immediately, an error reply with which the server refuses all commands. While the cache is
 * down, a probe runs every `retryMs`. The probe writes something: otherwise, a read-only or full cache would come up
 * with every probe, and go down with every request. Each outage and its end are logged once, here, and not for each
 * request.
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
    } else if (state === 'up' || state === 'starting' || (state === 'suspect' && isReply(error))) {
      // An error reply is the real cause, for example if the new connection is refused because of a changed password.
      goDown(error)
    }
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
    // The first failure is the real cause. Later ones often only show that the connection is being replaced.
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
