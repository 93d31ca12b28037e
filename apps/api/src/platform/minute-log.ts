import type { Log } from './log.ts'

const everyMs = 60_000

/**
 * Creates a log for a warning that many requests can cause. The first one is logged immediately. After that, at most
 * one line per minute is logged: for the warning with the greatest weight, or the last one if weights are equal. Its
 * field `leftOut` is the number of the others.
 */
export function createMinuteLog<Fields extends object>(
  log: Pick<Log, 'warn'>,
  message: string,
  weightOf: (fields: Fields) => number = () => 0,
): (fields: Fields) => void {
  let minute: { waiting?: Fields; leftOut: number } | undefined
  const write = (fields: object) => log.warn(fields, message)
  const begin = () => {
    minute = { leftOut: 0 }
    setTimeout(end, everyMs).unref()
  }
  const end = () => {
    const { waiting, leftOut = 0 } = minute ?? {}
    minute = undefined
    if (!waiting) return
    write({ ...waiting, ...(leftOut > 0 && { leftOut }) })
    begin()
  }
  return (fields) => {
    if (!minute) {
      write(fields)
      return begin()
    }
    const { waiting } = minute
    if (waiting) minute.leftOut += 1
    if (!waiting || weightOf(fields) >= weightOf(waiting)) minute.waiting = fields
  }
}
