import type { Period } from './page-period.ts'

const two = (value: number) => String(value).padStart(2, '0')

/** A moment as an address of a page has it: in the reader’s zone, to the minute. */
export const localText = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`

/** The same with the zone behind it: who pastes it elsewhere gets the same moment. */
function zonedText(at: Date): string {
  const minutes = -at.getTimezoneOffset()
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${localText(at)}${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`
}

/** A period as ISO 8601 writes it, for the clipboard; an end that is open is now, and a beginning a day before the end. */
export function periodText({ from, to }: Period, now: Date): string {
  const end = to === undefined ? now : new Date(to)
  const begin = from === undefined ? new Date(end.getTime() - 86_400_000) : new Date(from)
  return `${zonedText(begin)}/${zonedText(end)}`
}

const zoned = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

/** What somebody pasted; undefined for what is no period. Moments without a zone are none: nobody knows whose they are. */
export function readPeriod(text: string): { readonly from: Date; readonly to: Date } | undefined {
  const [from = '', to = '', ...rest] = text.trim().split('/')
  if (rest.length > 0 || !zoned.test(from) || !zoned.test(to)) return undefined
  const [begin, end] = [new Date(from), new Date(to)]
  return begin.getTime() <= end.getTime() ? { from: begin, to: end } : undefined
}
