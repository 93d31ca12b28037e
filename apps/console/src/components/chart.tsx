import type { UsageChart } from '@rolecall/sdk/admin'
import './chart.css'
import { numberText } from './number.tsx'
import { momentText } from './time.tsx'

/**
 * The maximum number of lines in a chart, because readers cannot distinguish more. The rest are combined into one line.
 */
const maxLines = 6
const bucketMs: Readonly<Record<UsageChart['bucket'], number>> = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '1d': 86_400_000,
}

interface Line {
  readonly key: string
  readonly name: string
  readonly count: number
  /** One number for each bucket of the period. */
  readonly values: readonly number[]
}

/** Returns the start of each bucket in the period of a chart. */
function bucketsOf({ bucket, from, to }: UsageChart): readonly number[] {
  const size = bucketMs[bucket]
  const first = Math.floor(Date.parse(from) / size) * size
  const buckets: number[] = []
  for (let at = first; at <= Date.parse(to); at += size) buckets.push(at)
  return buckets
}

/** Returns the lines to draw, the largest first. Lines beyond the limit are combined into the last one. */
export function linesOf(chart: UsageChart): readonly Line[] {
  const buckets = bucketsOf(chart)
  const lines = chart.series.map(({ key, name, count, points }) => {
    const counts = new Map(points.map((point) => [Date.parse(point.at), point.count]))
    return { key: key ?? 'others', name, count, values: buckets.map((at) => counts.get(at) ?? 0) }
  })
  if (lines.length <= maxLines) return lines
  const rest = lines.slice(maxLines - 1)
  const values = buckets.map((_, at) => rest.reduce((sum, line) => sum + (line.values[at] ?? 0), 0))
  const count = rest.reduce((sum, line) => sum + line.count, 0)
  return [...lines.slice(0, maxLines - 1), { key: 'others', name: 'Others', count, values }]
}

/** Returns an SVG path through the values, in a box of 100 by 100 units with `top` at its upper edge. */
const pathOf = (values: readonly number[], top: number): string =>
  values
    .map((value, at) => {
      const x = values.length > 1 ? (100 * at) / (values.length - 1) : 0
      return `${at === 0 ? 'M' : 'L'}${x.toFixed(2)} ${(100 - (100 * value) / (top || 1)).toFixed(2)}`
    })
    .join('')

/** Rounds up to the next 1, 2, or 5 with zeros, for the top of an axis. */
export function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return unit * ([1, 2, 5, 10].find((step) => step * unit >= value) ?? 10)
}

const colorOf = (at: number) => `var(--series-${at + 1})`

/** A chart of requests over time, with a table of the same figures. */
export function UsageLines({ label, chart }: { label: string; chart: UsageChart }) {
  const lines = linesOf(chart)
  const buckets = bucketsOf(chart)
  const top = roundUp(Math.max(0, ...lines.flatMap(({ values }) => values)))
  const total = lines.reduce((sum, { count }) => sum + count, 0)
  return (
    <div className="chart">
      <div className="chart-area">
        <div className="chart-scale" aria-hidden="true">
          <span>{numberText(top)}</span>
          <span>0</span>
        </div>
        <svg
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          role="img"
          aria-label={`${label}: ${numberText(total)} in the period; a table follows.`}
        >
          {[0, 50].map((y) => (
            <line key={y} className="chart-grid" x1="0" x2="100" y1={y} y2={y} />
          ))}
          {lines.map(({ key, values }, at) => (
            <path key={key} className="chart-line" d={pathOf(values, top)} style={{ stroke: colorOf(at) }} />
          ))}
        </svg>
        <div className="chart-times" aria-hidden="true">
          <span>{momentText(chart.from)}</span>
          <span>{momentText(chart.to)}</span>
        </div>
      </div>
      <ul className="chart-legend">
        {lines.map(({ key, name, count }, at) => (
          <li key={key}>
            <span className="chart-mark" style={{ background: colorOf(at) }} />
            <bdi>{name}</bdi> <span className="quiet number">{numberText(count)}</span>
          </li>
        ))}
      </ul>
      <details>
        <summary>Show as a table</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
        {/* biome-ignore lint/a11y/useSemanticElements: it groups no fields. */}
        <div className="chart-table" role="group" aria-label={`${label}, the figures`} tabIndex={0}>
          <table className="table">
            <caption className="unseen">{label}</caption>
            <thead>
              <tr>
                <th scope="col">From</th>
                {lines.map(({ key, name }) => (
                  <th key={key} scope="col" data-align="end">
                    <bdi>{name}</bdi>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {buckets.map((bucket, at) => (
                <tr key={bucket}>
                  <td>{momentText(new Date(bucket).toISOString())}</td>
                  {lines.map(({ key, values }) => (
                    <td key={key} data-align="end">
                      {numberText(values[at] ?? 0)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </div>
  )
}

/** A small chart of a figure over time. The figure itself is next to it. */
export const Sparkline = ({ chart }: { chart: UsageChart }) => {
  const values = linesOf(chart)[0]?.values ?? []
  return (
    <svg className="sparkline" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      <path d={pathOf(values.length > 0 ? values : [0, 0], Math.max(1, ...values))} />
    </svg>
  )
}
