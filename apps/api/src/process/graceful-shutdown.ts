import type { Log } from '#platform/log'

/** The longest time from the request to stop until the process ends. */
export const graceMs = 10_000

/** The signals that stop the process. A terminal sends SIGHUP when it is closed. */
export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const
const failures = ['uncaughtException', 'unhandledRejection'] as const

/** Determines how a process stops. */
export interface StopTerms {
  /** If `stop` takes longer than this, the process exits with 1. */
  readonly withinMs: number
  /** Stops the work, and resolves with the exit code. `why` is a signal or an event, such as `SIGTERM`. */
  readonly stop: (why: string) => Promise<number>
}

/**
 * Stops the process at the first signal, at the first unhandled error, or when the returned function is called. It
 * stops only once: later requests are logged, and have no other effect. They are common: service managers and terminals
 * signal a whole group of processes, parents signal their children again, and people press Ctrl-C twice. Only SIGKILL
 * does not wait.
 */
export function shutDownOnce(log: Log, { withinMs, stop }: StopTerms): (why: string) => void {
  let isStopping = false
  let hasFailed = false
  const begin = (why: string) => {
    if (isStopping) {
      log.info({ why }, 'already stopping')
      return
    }
    isStopping = true
    log.info({ why }, 'stopping')
    setTimeout(() => {
      log.error(`not stopped within ${withinMs} ms: exiting with requests in progress`)
      process.exit(1)
    }, withinMs)
    stop(why).then(
      (exitCode) => {
        const code = hasFailed ? 1 : exitCode
        log.info({ why, code, ranSec: Math.round(process.uptime()) }, 'stopped')
        process.exit(code)
      },
      (err: unknown) => {
        log.error({ err }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  for (const signal of stopSignals) process.on(signal, begin)
  for (const failure of failures) {
    process.on(failure, (err: unknown) => {
      hasFailed = true
      log.error({ err }, 'unhandled error')
      begin(failure)
    })
  }
  return begin
}
