import type { UsageChart } from '@rolecall/sdk/admin'
import { useMemo } from 'react'
import { usePagePeriod } from './page-period.ts'
import { instantOf } from './period-fields.tsx'
import { momentText } from './time.tsx'
import { useFilters } from './use-filters.ts'

type Bucket = UsageChart['bucket']

const dayMs = 86_400_000
const ranges = {
  '24h': { text: '24 hours', ms: dayMs },
  '7d': { text: '7 days', ms: 7 * dayMs },
  '30d': { text: '30 days', ms: 30 * dayMs },
} as const

type RangeName = keyof typeof ranges

/** A period for queries, and the option that selects it. */
export interface Range {
  readonly from: string
  /** The end of the period. Undefined if the period ends now. */
  readonly to: string | undefined
  /**
   * The buckets for a chart with one line (`fine`), and for a chart with several lines. A response has a limited number
   * of points, so several lines need larger buckets.
   */
  readonly fine: Bucket
  readonly coarse: Bucket
  readonly name: RangeName | 'pasted'
}

const buckets: readonly Bucket[] = ['1m', '5m', '15m', '1h', '6h', '1d']
const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: dayMs }
const lengthMs = (bucket: Bucket) => Number.parseInt(bucket, 10) * (unitMs[bucket.slice(-1)] ?? dayMs)

/** Returns the shortest bucket that divides a period into at most `most` parts. */
const bucketFor = (ms: number, most: number): Bucket =>
  buckets.find((bucket) => ms / lengthMs(bucket) <= most) ?? '1d'

const bucketsFor = (ms: number) => ({ fine: bucketFor(ms, 170), coarse: bucketFor(ms, 30) })

/** The start of a relative period moves only every quarter of an hour, so that the query stays the same in between. */
const stepMs = 900_000

/** Returns the period that the address selects: two moments, or a range up to now. */
export function useRange(): Range {
  const [{ range: word, from, to }, setFilters] = useFilters()
  const step = Math.floor(Date.now() / stepMs)
  const range = useMemo((): Range => {
    const [begin, end] = [instantOf(from), instantOf(to)]
    if (begin !== undefined && end !== undefined && begin < end) {
      return { from: begin, to: end, name: 'pasted', ...bucketsFor(Date.parse(end) - Date.parse(begin)) }
    }
    const name: RangeName = word !== undefined && word in ranges ? (word as RangeName) : '24h'
    const { ms } = ranges[name]
    return { from: new Date(step * stepMs - ms).toISOString(), to: undefined, name, ...bucketsFor(ms) }
  }, [word, from, to, step])
  usePagePeriod({ period: range, show: (begin, end) => setFilters({ from: begin, to: end, range: '' }) })
  return range
}

/** The controls with which the user chooses a period. */
export function RangeChoice({ range }: { range: Range }) {
  const [, setFilters] = useFilters()
  return (
    <select
      className="input range"
      aria-label="Period"
      value={range.name}
      onChange={({ target }) => setFilters({ range: target.value, from: '', to: '' })}
    >
      {range.name === 'pasted' && range.to !== undefined && (
        <option value="pasted">
          {momentText(range.from)} to {momentText(range.to)}
        </option>
      )}
      {Object.entries(ranges).map(([word, { text }]) => (
        <option key={word} value={word}>
          Last {text}
        </option>
      ))}
    </select>
  )
}
