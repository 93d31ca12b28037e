import type { Period } from './page-period.ts'

const two = (value: number) => String(value).padStart(2, '0')

/** Returns a moment in the format of page addresses: in the reader’s time zone, to the minute. */
export const localText = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`

/** Returns the same text with the time zone, so that it means the same moment in every time zone. */
function zonedText(at: Date): string {
  const minutes = -at.getTimezoneOffset()
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${localText(at)}${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`
}

/**
 * Returns a period in ISO 8601, for the clipboard. An open end becomes now, and an open start one day before the end.
 */
export function periodText({ from, to }: Period, now: Date): string {
  const end = to === undefined ? now : new Date(to)
  const begin = from === undefined ? new Date(end.getTime() - 86_400_000) : new Date(from)
  return `${zonedText(begin)}/${zonedText(end)}`
}

const zoned = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

/**
 * Parses a pasted period. Undefined if the text is not a period. Rejects a moment without a time zone, because it is
 * not clear which moment it means.
 */
export function readPeriod(text: string): { readonly from: Date; readonly to: Date } | undefined {
  const [from = '', to = '', ...rest] = text.trim().split('/')
  if (rest.length > 0 || !zoned.test(from) || !zoned.test(to)) return undefined
  const [begin, end] = [new Date(from), new Date(to)]
  return begin.getTime() <= end.getTime() ? { from: begin, to: end } : undefined
}
