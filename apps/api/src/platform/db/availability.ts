import { within } from '#platform/async'
import type { Log } from '#platform/log'
import { connectionReason } from './connection-refusals.ts'
import type { DatabaseState } from './database.ts'

/** Silence for so long is an outage; health answers within 2 s. */
const silenceMs = 1_400
/** Refusals in a row that are one: a connection that was cut is replaced, and nobody need hear of it. */
const refusalsToDown = 3
const betweenRefusalsMs = 100
/** Between two looks while it is away. */
const retryMs = 250

/** What a question can find: a full disk is not one of them. */
type ProbedState = Exclude<DatabaseState, 'full'>

export interface Availability {
  /** Asks now, or joins whoever is asking. Never rejects. */
  check(): Promise<ProbedState>
  /** Says that a statement met an outage, which may be one. */
  suspect(): void
  close(): void
}

/**
 * Tells an outage of the database from one bad moment. Down: three attempts in a row were refused, or none was
 * answered for 1.4 s. Read-only: an answer said so. Up: one was answered. Each change is logged once, here, whatever the
 * traffic.
 */
export function createAvailability(
  probe: () => Promise<Exclude<ProbedState, 'down'>>,
  log: Pick<Log, 'info' | 'warn'>,
): Availability {
  let state: ProbedState | 'closed' = 'up'
  let checking: Promise<ProbedState> | undefined
  let timer: NodeJS.Timeout | undefined

  async function look(): Promise<ProbedState> {
    let reason = `no answer within ${silenceMs} ms`
    const attempts = async (): Promise<ProbedState> => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await probe()
        } catch (error) {
          reason = connectionReason(error)
          if (attempt === refusalsToDown || state === 'down') return 'down'
        }
        await new Promise((resolve) => setTimeout(resolve, betweenRefusalsMs))
      }
    }
    const found = await within<ProbedState>(attempts(), silenceMs, 'down')
    settle(found, reason)
    return found
  }

  function settle(found: ProbedState, reason: string): void {
    if (state === 'closed') return
    if (found !== state) tell(state, found, reason)
    state = found
    clearTimeout(timer)
    if (found !== 'up') timer = setTimeout(check, retryMs).unref()
  }

  /** One line for the end of what was, and one for the begin of what is. */
  function tell(before: ProbedState, found: ProbedState, reason: string): void {
    if (before === 'down') log.info('database reachable again')
    if (before === 'read-only' && found === 'up') log.info('database takes writes again')
    if (found === 'down') log.warn({ reason }, 'database unreachable, what needs it is answered 503')
    if (found === 'read-only') log.warn('database read-only, what writes is answered 503')
  }

  function check(): Promise<ProbedState> {
    if (state === 'closed') return Promise.resolve('down')
    checking ??= look().finally(() => {
      checking = undefined
    })
    return checking
  }

  return {
    check,
    suspect: () => {
      if (state === 'up') void check()
    },
    close() {
      state = 'closed'
      clearTimeout(timer)
    },
  }
}
