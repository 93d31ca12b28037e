import type { Log } from '#platform/log'

/** The longest time from the first stop request until the process ends. */
export const graceMs = 10_000

/** SIGHUP: the terminal was closed. */
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const
const failures = ['uncaughtException', 'unhandledRejection'] as const

export interface StopTerms {
  /** The time that `stop` may take before the process exits with 1. */
  readonly withinMs: number
  /** Stops the work. Resolves with the exit code. */
  readonly stop: (why: string) => Promise<number>
}

/**
 * Stops the process once: at the first signal, at the first unhandled error, or when the returned function is
 * called. Later requests are logged and change nothing. Service managers and terminals signal every process of a
 * group, parents signal their children again, and people press Ctrl-C twice: all of these request the same stop,
 * and only SIGKILL does not wait for it.
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
  for (const signal of signals) process.on(signal, begin)
  for (const failure of failures) {
    process.on(failure, (err: unknown) => {
      hasFailed = true
      log.error({ err }, 'unhandled error')
      begin(failure)
    })
  }
  return begin
}
