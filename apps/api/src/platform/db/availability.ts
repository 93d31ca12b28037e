import { backOffMs, singleFlight, within } from '#platform/async'
import type { Log } from '#platform/log'
import { createMinuteLog } from '#platform/minute-log'
import { connectionReason } from './connection-refusals.ts'
import type { DatabaseState } from './database.ts'

/**
 * The time without any response that counts as an outage. It is shorter than the 2 s in which the health endpoint must
 * respond.
 */
const silenceMs = 1_400
/** The number of refused attempts in a row that count as an outage. A single lost connection is just replaced. */
const refusalsToDown = 3
const betweenRefusalsMs = 100
/**
 * The pauses between attempts during an outage. Even with the longest one, the service works again within 2 s after the
 * database is back.
 */
const retry = { firstMs: 250, maxMs: 500 }

/** The states that a probe can find. A full disk is not among them (see `full-disk.ts`). */
type ProbedState = Exclude<DatabaseState, 'full'>

/** Reports whether the database can be used. */
export interface Availability {
  /**
   * Probes the database now, or joins the probe that is running. During an outage, returns `down` without a probe.
   * Never rejects.
   */
  check(): Promise<ProbedState>
  /** Returns true during an outage. Callers should then fail immediately. */
  isDown(): boolean
  /** Returns the reason for the last failed attempt during an outage. */
  reason(): string
  /** Reports a failed statement that may be the sign of an outage. Starts a probe. */
  suspect(cause: unknown): void
  /** Reports that the database has answered a statement. */
  answered(): void
  close(): void
}

/**
 * Creates a detector that tells an outage of the database from a single failure. It logs the beginning and the end of
 * each outage once, and not for each request. A probe finds one of three states:
 *
 * - `down`: three attempts in a row were refused, or there was no response within 1.4 s, neither to the probe nor to
 *   any other statement.
 * - `read-only`: the database responds, but accepts no writes.
 * - `up`: the database responds.
 *
 * During an outage, only this code contacts the database, with one attempt at a time and pauses in between. `probe`
 * limits the duration of an attempt.
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

  /** Probes once. A late response counts, too: it ends an outage that began without responses. */
  const attempt = singleFlight(async () => {
    const found = await probe()
    enter(found, '')
    return found
  })

  /** Probes until the state is certain. Simultaneous callers share one run. */
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
    // The database has answered another statement in the meantime, so only this probe has failed.
    if (answeredAt > since) return 'up'
    enter('down', reason)
    return 'down'
  })

  /** Enters a state. Unless it is `up`, schedules the next probe. */
  function enter(found: ProbedState, reason: string): void {
    if (state === 'closed') return
    if (found !== state) logChange(state, found, reason)
    state = found
    if (found === 'down') lastReason = reason
    failures = found === 'down' ? failures + 1 : 0
    clearTimeout(timer)
    if (found !== 'up') timer = setTimeout(probeUntilDecided, backOffMs(failures || 1, retry)).unref()
  }

  /** Logs one line for the end of the old state, and one for the beginning of the new one. */
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
      // A restart of the database can make requests fail, even if it is too short to count as an outage.
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
