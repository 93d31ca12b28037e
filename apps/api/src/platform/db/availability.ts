import { backOffMs, singleFlight, within } from '#platform/async'
import type { Log } from '#platform/log'
import { createMinuteLog } from '#platform/minute-log'
import { connectionReason } from './connection-refusals.ts'
import type { DatabaseState } from './database.ts'

/** Time without an answer that counts as an outage. Shorter than the 2 s in which the health endpoint must respond. */
const silenceMs = 1_400
/** The number of consecutive refusals that count as an outage. A single cut connection is only replaced. */
const refusalsToDown = 3
const betweenRefusalsMs = 100
/**
 * The pauses between attempts during an outage. With the longest one, the service recovers within 2 s of the database's
 * return.
 */
const retry = { firstMs: 250, maxMs: 500 }

/** A state that a probe can find. A probe does not detect a full disk. */
type ProbedState = Exclude<DatabaseState, 'full'>

export interface Availability {
  /** Probes now, or joins the running probe. During an outage, returns `down` immediately. Never rejects. */
  check(): Promise<ProbedState>
  /** Returns true during an outage. Callers should then fail immediately. */
  isDown(): boolean
  /** Returns the reason of the last failed attempt of an outage. */
  reason(): string
  /** Reports a failed statement that may indicate an outage, and starts a probe. */
  suspect(cause: unknown): void
  /** Reports that a statement was answered. */
  answered(): void
  close(): void
}

/**
 * Distinguishes an outage of the database from a single failure, and logs the start and the end of each outage once,
 * regardless of the traffic. A probe finds one of three states:
 *
 * - `down`: three attempts in a row were refused, or none was answered within 1.4 s. Meanwhile, no other statement was
 *   answered either.
 * - `read-only`: the database answered that it accepts no writes.
 * - `up`: the database answered.
 *
 * During an outage, only this function contacts the database. It makes one attempt at a time, which lasts as long as
 * `probe` allows, and pauses between attempts.
 */
export function createAvailability(
  probe: () => Promise<Exclude<ProbedState, 'down'>>,
  log: Pick<Log, 'info' | 'warn'>,
): Availability {
  let state: ProbedState | 'closed' = 'up'
  let answeredAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let lastReason = ''
  const failedMeanwhile = createMinuteLog(
    log,
    'statements failed while the database is reachable: their requests returned 503',
  )
  let timer: NodeJS.Timeout | undefined

  /** Probes once. A late answer has an effect, too: it ends an outage that began with silence. */
  const attempt = singleFlight(async () => {
    const found = await probe()
    enter(found, '')
    return found
  })

  /** Probes until the state is certain, in one run at a time. */
  const probeUntilDecided = singleFlight(async (): Promise<ProbedState> => {
    const since = performance.now()
    let reason = `no answer within ${silenceMs} ms`
    const attempts = async (): Promise<ProbedState> => {
      for (let refusals = 1; ; refusals++) {
        try {
          return await attempt()
        } catch (error) {
          reason = connectionReason(error)
          if (refusals === refusalsToDown || state === 'down') return 'down'
        }
        await new Promise((resolve) => setTimeout(resolve, betweenRefusalsMs))
      }
    }
    const found = await within<ProbedState>(attempts(), silenceMs, 'down')
    if (found !== 'down') return found
    // Another statement was answered meanwhile, so this probe failed alone.
    if (answeredAt > since) return 'up'
    enter('down', reason)
    return 'down'
  })

  /** Enters a state. While it is not `up`, schedules the next probe. */
  function enter(found: ProbedState, reason: string): void {
    if (state === 'closed') return
    if (found !== state) logChange(state, found, reason)
    state = found
    if (found === 'down') lastReason = reason
    failures = found === 'down' ? failures + 1 : 0
    clearTimeout(timer)
    if (found !== 'up') timer = setTimeout(probeUntilDecided, backOffMs(failures || 1, retry)).unref()
  }

  /** Logs one line for the end of the old state, and one for the start of the new one. */
  function logChange(before: ProbedState, found: ProbedState, reason: string): void {
    if (before === 'down') log.info('database reachable again')
    if (before === 'read-only' && found === 'up') log.info('database writable again')
    if (found === 'down') log.warn({ reason }, 'database unreachable: requests that need it return 503')
    if (found === 'read-only') log.warn('database read-only: writes return 503')
  }

  return {
    check: () => (state === 'down' || state === 'closed' ? Promise.resolve('down') : probeUntilDecided()),
    isDown: () => state === 'down',
    reason: () => lastReason,
    suspect: (cause) => {
      if (state !== 'up') return
      // A database restart can fail requests even if it is too short to count as an outage.
      void probeUntilDecided().then((found) => {
        if (found === 'up') failedMeanwhile({ reason: connectionReason(cause) })
      })
    },
    answered: () => {
      answeredAt = performance.now()
    },
    close() {
      state = 'closed'
      clearTimeout(timer)
    },
  }
}
