import type { Logger } from 'pino'
import { LateError, singleFlight, withTimeout } from '#platform/async'
import { isOutage, isReply, reasonOf } from './outage.ts'

interface Options {
  /** What the log calls this cache; free of secrets. */
  name: string
  /** How long a caller waits for a command. */
  deadlineMs: number
  /** How long a probe is waited for: longer, because nobody waits for it. */
  probeDeadlineMs: number
  /** Between two probes: long enough for a connection that was cut to be replaced. */
  retryMs: number
  /** A command that fails whenever the cache could not do its work. */
  probe: () => Promise<unknown>
  /** Called when a probe got no answer at all: the connection itself is suspect. */
  reset: () => void
  log: Pick<Logger, 'info' | 'warn'>
}

export interface Breaker {
  /** True while commands are asked. */
  isUp(): boolean
  /** Runs a command within the deadline. `undefined` for whatever goes wrong, and at once while not up. Never rejects. */
  run<T>(command: () => Promise<T>): Promise<T | undefined> | undefined
  /** Probes now until it is certain, or joins who does. Never rejects. */
  check(): Promise<boolean>
  /** Resolves with the first success or failure, at the latest after the deadline of a probe. */
  whenStarted(): Promise<void>
  /** For failures seen outside of `run`, like a lost connection. */
  fail(error: unknown): void
  close(): void
}

/** Probes in a row that fail before a cache that was up counts as down. */
const failuresToDown = 2

/**
 * Keeps a cache that is gone from costing anything, and tells an outage from one late answer.
 *
 * starting → up ⇄ suspect → down → up, until closed. A missed deadline or a lost connection makes an up cache
 * suspect: from there on no caller waits, and only probes of its own ask whether it is there. One that answers,
 * however late after the callers' deadline, brings it back up without a word; two in a row that fail take it down.
 * A reply that says "not now" is no matter of time, and takes it down at once. While down a probe every `retryMs`
 * asks whether it is back. The probe is a write, so that a cache which is read-only or full stays down instead of
 * coming up with every probe and going down with every request. Each outage and each return is logged once, here,
 * whatever the traffic.
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
    log.warn({ cache: name, reason: reasonOf(error) }, 'cache unreachable, going on without it')
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
    // The first failure is the cause; what follows it is often only that the connection is being replaced.
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
