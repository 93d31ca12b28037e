import type { Log } from './log.ts'

const everyMs = 60_000

/**
 * Logs a warning that many requests may cause: the first time at once, then once a minute at most. `leftOut` counts the
 * lines that were not written since the last one.
 */
export function createMinuteLog(log: Pick<Log, 'warn'>, message: string): (fields: object) => void {
  let quietUntil = Number.NEGATIVE_INFINITY
  let leftOut = 0
  return (fields) => {
    const now = performance.now()
    if (now < quietUntil) {
      leftOut += 1
      return
    }
    quietUntil = now + everyMs
    log.warn(leftOut > 0 ? { ...fields, leftOut } : fields, message)
    leftOut = 0
  }
}
