import type { Log } from './log.ts'

const everyMs = 60_000

/**
 * Logs a warning that many requests can cause: the first time immediately, and then once at the end of each minute with
 * further warnings. That line shows the event with the greatest weight, or the last event, and counts the others in
 * `leftOut`.
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
