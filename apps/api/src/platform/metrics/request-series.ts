import { Counter, type Metric, type Registry } from 'prom-client'
import type { RequestCounts, RequestMetrics } from './request-metrics.ts'

const duration = 'rolecall_http_request_duration_seconds'

/** Exports the request metrics to Prometheus: the number of responses, and their durations. */
export function registerRequestSeries(registry: Registry, requests: RequestMetrics): void {
  new Counter({
    name: 'rolecall_http_requests_total',
    help: 'Responses by method, route template, and status. Route "unmatched": the address has no route.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { route, status, count } of requests.counts()) this.inc({ ...split(route), status }, count)
    },
  })
  // The library has no histogram whose values come from elsewhere. But it accepts any object with `get`, which it also
  // uses to merge the metrics of several processes.
  registry.registerMetric({
    name: duration,
    help: 'Time from reading a request to its response, by method, route template, and status class.',
    type: 'histogram',
    aggregator: 'sum',
    get: async () => ({
      name: duration,
      help: 'Time from reading a request to its response, by method, route template, and status class.',
      type: 'histogram',
      aggregator: 'sum',
      values: histogramValues(requests.counts()),
    }),
  } as unknown as Metric)
}

function histogramValues(counts: readonly RequestCounts[]) {
  return byClass(counts).flatMap(({ labels, rows }) => {
    const sum = (read: (row: RequestCounts) => number) => rows.reduce((total, row) => total + read(row), 0)
    const bounds = rows[0]?.atMost.map(([seconds]) => seconds) ?? []
    return [
      ...bounds.map((seconds, i) => ({
        metricName: `${duration}_bucket`,
        labels: { ...labels, le: seconds },
        value: sum(({ atMost }) => atMost[i]?.[1] ?? 0),
      })),
      {
        metricName: `${duration}_bucket`,
        labels: { ...labels, le: '+Inf' },
        value: sum((row) => row.measured),
      },
      { metricName: `${duration}_sum`, labels, value: sum((row) => row.seconds) },
      { metricName: `${duration}_count`, labels, value: sum((row) => row.measured) },
    ]
  })
}

function byClass(counts: readonly RequestCounts[]) {
  const groups = new Map<string, { labels: Record<string, string>; rows: RequestCounts[] }>()
  for (const row of counts.filter(({ measured }) => measured > 0)) {
    const statusClass = `${Math.floor(row.status / 100)}xx`
    const key = `${row.route} ${statusClass}`
    const group = groups.get(key) ?? { labels: { ...split(row.route), class: statusClass }, rows: [] }
    group.rows.push(row)
    groups.set(key, group)
  }
  return [...groups.values()]
}

/** Splits the name of an endpoint, such as `POST /api/auth/validate`, into its two labels. */
function split(name: string) {
  const cut = name.indexOf(' ')
  return cut < 0 ? { method: 'any', route: name } : { method: name.slice(0, cut), route: name.slice(cut + 1) }
}
