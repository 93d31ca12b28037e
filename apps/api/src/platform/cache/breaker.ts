import type { Logger } from 'pino'
import { isOutage, LateError, reasonOf, within } from './outage.ts'

interface Options {
  /** What the log calls this cache; free of secrets. */
  name: string
  deadlineMs: number
  /** Between two probes while down. */
  retryMs: number
  /** A command that fails whenever the cache could not do its work. */
  probe: () => Promise<unknown>
  /** Called when a probe got no answer at all: the connection itself is suspect. */
  reset: () => void
  log: Pick<Logger, 'info' | 'warn'>
}

export interface Breaker {
  isUp(): boolean
  /** Runs a command within the deadline. `undefined` for whatever goes wrong, and at once while down. Never rejects. */
  run<T>(command: () => Promise<T>): Promise<T | undefined> | undefined
  /** Probes now, or joins the probe under way. Never rejects. */
  check(): Promise<boolean>
  /** Resolves with the first success or failure, at the latest after a deadline. */
  whenStarted(): Promise<void>
  /** For failures seen outside of `run`, like a lost connection. */
  fail(error: unknown): void
  close(): void
}

/**
 * Keeps a cache that is gone from costing anything.
 *
 * starting → up or down, then back and forth between the two until closed. One missed deadline, one lost
 * connection or one reply that says "not now" takes it down. From there on no caller waits: only a probe of
 * its own, every `retryMs`, asks whether the cache is back. The probe is a write, so that a cache which is
 * read-only or full stays down instead of coming up with every probe and going down with every request.
 * Each change is logged once, here, whatever the traffic.
 */
export function createBreaker({ name, deadlineMs, retryMs, probe, reset, log }: Options): Breaker {
  let state: 'starting' | 'up' | 'down' | 'closed' = 'starting'
  let checking: Promise<boolean> | undefined
  let timer: NodeJS.Timeout | undefined
  let endStart = () => {}
  const start = new Promise<void>((resolve) => {
    endStart = resolve
  })

  function succeed(): void {
    if (state === 'closed') return
    if (state === 'down') log.info({ cache: name }, 'cache reachable again')
    state = 'up'
    endStart()
  }

  function fail(error: unknown): void {
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

  function check(): Promise<boolean> {
    if (state === 'closed') return Promise.resolve(false)
    checking ??= runProbe().finally(() => {
      checking = undefined
      probeLater()
    })
    return checking
  }

  async function runProbe(): Promise<boolean> {
    try {
      await within(deadlineMs, probe())
      succeed()
    } catch (error) {
      fail(error)
      if (error instanceof LateError) reset()
    }
    return state === 'up'
  }

  return {
    isUp: () => state === 'up',

    run(command) {
      if (state !== 'up') return undefined
      return within(deadlineMs, command()).catch((error: unknown) => {
        if (isOutage(error)) fail(error)
        return undefined
      })
    },

    check,
    whenStarted: () => within(deadlineMs, start).catch(() => {}),
    fail,

    close() {
      state = 'closed'
      clearTimeout(timer)
      endStart()
    },
  }
}
