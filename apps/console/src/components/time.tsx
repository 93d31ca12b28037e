import { useSyncExternalStore } from 'react'

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** Returns the distance of a moment from now in words, in the largest unit that fits. */
export function timeFrom(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1_000)
  const [unit, length] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  return relative.format(Math.trunc(seconds / length), unit)
}

const tickMs = 10_000
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/**
 * Subscribes to one shared timer. It skips ticks while the page is hidden, and ticks when the page is visible again.
 */
function onTick(listener: () => void): () => void {
  const tick = () => {
    if (document.visibilityState === 'visible') for (const one of listeners) one()
  }
  if (!timer) {
    timer = setInterval(tick, tickMs)
    document.addEventListener('visibilitychange', tick)
  }
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The distance of a moment from now. With each tick, only texts that have changed are rendered again. */
const Distance = ({ of: at }: { of: Date }) => useSyncExternalStore(onTick, () => timeFrom(at, new Date()))

interface TimeProps {
  /** The moment, as the service returns it. Null means never. */
  readonly at: string | null | undefined
  /** The text that is shown for null. Default `never`. */
  readonly never?: string
  /**
   * `relative`: the distance from now; `full`: date and time in the reader’s zone; `both`; `clock`: the time of day.
   * The other forms, and UTC, appear on hover.
   */
  readonly show?: 'relative' | 'full' | 'both' | 'clock'
}

/** A moment in the reader’s time zone and format. */
export function Time({ at, never = 'never', show = 'relative' }: TimeProps) {
  if (!at) return <span className="quiet">{never}</span>
  const date = new Date(at)
  const utc = `${at.slice(0, 19).replace('T', ' ')} UTC`
  return (
    <time dateTime={at} title={`${exact.format(date)}\n${utc}`} className="nowrap">
      {(show === 'full' || show === 'both') && moment.format(date)}
      {show === 'both' && ', '}
      {(show === 'relative' || show === 'both') && <Distance of={date} />}
      {show === 'clock' && clock.format(date)}
    </time>
  )
}

/** Returns the day of a moment in the reader’s time zone, e.g. `Wednesday, November 25, 2026`. */
export const dayText = (at: string): string => day.format(new Date(at))

/** Returns a moment as text, for places that cannot contain an element. */
export const momentText = (at: string): string => moment.format(new Date(at))

/** Returns a number of seconds in words, e.g. `2 hours`. */
export function durationText(seconds: number): string {
  const [unit, length] = units.find(([, size]) => seconds >= size && seconds % size === 0) ?? ['second', 1]
  return new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'long' }).format(
    seconds / length,
  )
}
