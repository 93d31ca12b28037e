import { within } from '#platform/async'
import type { Log } from '#platform/log'
import { connectionReason } from './connection-refusals.ts'

/** Silence for so long is an outage; health answers within 2 s. */
const silenceMs = 1_400
/** Refusals in a row that are one: a connection that was cut is replaced, and nobody need hear of it. */
const refusalsToDown = 3
const betweenRefusalsMs = 100
/** Between two looks while it is away. */
const retryMs = 250

export interface Availability {
  /** Asks now, or joins whoever is asking. Never rejects. */
  check(): Promise<boolean>
  /** Says that a statement met an outage, which may be one. */
  suspect(): void
  close(): void
}

/**
 * Tells an outage of the database from one bad moment. Down: three attempts in a row were refused, or none was
 * answered for 1.4 s. Up: one was answered. Each change is logged once, here, whatever the traffic.
 */
export function createAvailability(
  probe: () => Promise<unknown>,
  log: Pick<Log, 'info' | 'warn'>,
): Availability {
  let state: 'up' | 'down' | 'closed' = 'up'
  let checking: Promise<boolean> | undefined
  let timer: NodeJS.Timeout | undefined

  async function look(): Promise<boolean> {
    let reason = `no answer within ${silenceMs} ms`
    const attempts = async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          await probe()
          return true
        } catch (error) {
          reason = connectionReason(error)
          if (attempt === refusalsToDown || state !== 'up') return false
        }
        await new Promise((resolve) => setTimeout(resolve, betweenRefusalsMs))
      }
    }
    const isUp = await within(attempts(), silenceMs, false)
    settle(isUp, reason)
    return isUp
  }

  function settle(isUp: boolean, reason: string): void {
    if (state === 'closed') return
    if (isUp && state === 'down') log.info('database reachable again')
    if (!isUp && state === 'up') log.warn({ reason }, 'database unreachable, what needs it is answered 503')
    state = isUp ? 'up' : 'down'
    clearTimeout(timer)
    if (!isUp) timer = setTimeout(check, retryMs).unref()
  }

  function check(): Promise<boolean> {
    if (state === 'closed') return Promise.resolve(false)
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
