import { backOffMs, singleFlight, within } from '#platform/async'
import type { Log } from '#platform/log'
import { createMinuteLog } from '#platform/minute-log'
import { connectionReason } from './connection-refusals.ts'
import type { DatabaseState } from './database.ts'

/** The duration of silence that counts as an outage; health answers within 2 s. */
const silenceMs = 1_400
/** The number of refusals in a row that count as an outage: a cut connection is replaced silently. */
const refusalsToDown = 3
const betweenRefusalsMs = 100
/**
 * The pauses between attempts during an outage. The longest leaves time to recover within 2 s of the database's
 * return.
 */
const retry = { firstMs: 250, maxMs: 500 }

/** The result of a probe: a full disk is not one of them. */
type ProbedState = Exclude<DatabaseState, 'full'>

export interface Availability {
  /** Probes now, or joins the running probe. During an outage it returns at once. Never rejects. */
  check(): Promise<ProbedState>
  /** Returns true during an outage: a statement would wait for nothing. */
  isDown(): boolean
  /** Returns the reason of the last failed attempt of an outage. */
  reason(): string
  /** Reports that a statement failed as in an outage, which may be one. */
  suspect(cause: unknown): void
  /** Reports that a statement was answered. */
  answered(): void
  close(): void
}

/**
 * Distinguishes an outage of the database from a single failure.
 *
 * Down: three attempts in a row were refused, or none was answered for 1.4 s, and no statement was answered meanwhile.
 * Read-only: an answer stated it. Up: an attempt was answered. Each change is logged once, here, regardless of the
 * traffic.
 *
 * During an outage this is the only part that contacts the database. It has one attempt in progress, which lasts as
 * long as `probe` allows, and waits between attempts.
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

  /** An answer counts also after the silence was taken for an outage. */
  const attempt = singleFlight(async () => {
    const found = await probe()
    settle(found, '')
    return found
  })

  const look = singleFlight(async (): Promise<ProbedState> => {
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
    if (answeredAt > since) return 'up'
    settle('down', reason)
    return 'down'
  })

  function settle(found: ProbedState, reason: string): void {
    if (state === 'closed') return
    if (found !== state) logChange(state, found, reason)
    state = found
    if (found === 'down') lastReason = reason
    failures = found === 'down' ? failures + 1 : 0
    clearTimeout(timer)
    if (found !== 'up') timer = setTimeout(look, backOffMs(failures || 1, retry)).unref()
  }

  /** Logs one line for the end of the old state, and one for the begin of the new one. */
  function logChange(before: ProbedState, found: ProbedState, reason: string): void {
    if (before === 'down') log.info('database reachable again')
    if (before === 'read-only' && found === 'up') log.info('database writable again')
    if (found === 'down') log.warn({ reason }, 'database unreachable: requests that need it return 503')
    if (found === 'read-only') log.warn('database read-only: writes return 503')
  }

  return {
    check: () => (state === 'down' || state === 'closed' ? Promise.resolve('down') : look()),
    isDown: () => state === 'down',
    reason: () => lastReason,
    suspect: (cause) => {
      if (state !== 'up') return
      // A restart that ends before it counts as an outage has failed requests all the same.
      void look().then((found) => {
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
