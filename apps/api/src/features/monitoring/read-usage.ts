import { monitoring } from '@rolecall/contract'
import { invalid } from '#platform/http/check-request'
import { readPeriod } from '#platform/http/period'
import type { Deps } from '../../deps.ts'
import { countUsageRows, listUsage, type UsageQuery } from './read-store.ts'
import { noProject } from './store.ts'
import { type LinePoint, type Period, readUsagePeriod, sumUsage } from './usage-chart-store.ts'

/** The maximum number of lines of a chart. More would make it unreadable. */
const maxLines = 20

/**
 * Returns the number of requests per minute, newest first. The default period is the last hour. With `bucket`, returns
 * sums for a chart instead, and the default period is the last day.
 *
 * @throws VALIDATION_FAILED if the period ends before it begins, or has more points than a response may contain
 */
export async function readUsage({ db }: Pick<Deps, 'db'>, query: monitoring.UsageQuery) {
  const {
    projectId = null,
    route = null,
    status,
    bucket,
    groupBy = 'none',
    limit = 1_000,
    offset = 0,
  } = query
  const { from, to } = readPeriod(query, 'from', 'to')
  const request: UsageQuery = {
    from: from?.toISOString() ?? null,
    to: to?.toISOString() ?? null,
    projectId,
    routes: route,
    statusClass: status === undefined ? null : Number(status[0]),
  }
  if (bucket !== undefined) return readChart({ db }, request, bucket, groupBy)
  const [rows, total] = await Promise.all([
    listUsage(db, request, limit, offset),
    countUsageRows(db, request),
  ])
  const data = rows.map((row) => ({
    ...row,
    minute: row.minute.toISOString(),
    projectId: row.projectId === noProject ? null : row.projectId,
  }))
  return { data, total, limit, offset }
}

type Bucket = monitoring.UsageChart['bucket']
type GroupBy = NonNullable<monitoring.UsageQuery['groupBy']>

/** Returns a chart. Reduces the number of lines if their points would exceed the maximum of a response. */
async function readChart(
  { db }: Pick<Deps, 'db'>,
  request: UsageQuery,
  bucket: Bucket,
  groupBy: GroupBy,
): Promise<monitoring.UsageChart> {
  const period = await readUsagePeriod(db, request)
  const lines = Math.min(maxLines, Math.floor(monitoring.maxUsagePoints / bucketsOf(period, bucket)))
  if (lines === 0) throw tooManyPoints(period, bucket)
  const bucketSec = monitoring.usageBuckets[bucket]
  const points = await sumUsage(db, { ...request, ...period }, { bucketSec, groupBy, lines })
  return { bucket, ...period, series: toSeries(points) }
}

/** Returns the maximum number of buckets in a period. It adds one, because a period rarely begins with a bucket. */
const bucketsOf = ({ from, to }: Period, bucket: Bucket) =>
  Math.floor((Date.parse(to) - Date.parse(from)) / (monitoring.usageBuckets[bucket] * 1_000)) + 1

function tooManyPoints(period: Period, bucket: Bucket) {
  const words = Object.keys(monitoring.usageBuckets) as Bucket[]
  const fitting = words.find((one) => bucketsOf(period, one) <= monitoring.maxUsagePoints)
  const mend = fitting ? `${fitting} is the shortest bucket that fits` : 'or request a shorter period'
  const message = `must be longer: the period has more than ${monitoring.maxUsagePoints} buckets of ${bucket}; ${mend}`
  return invalid([{ path: '/bucket', message, code: 'RANGE' }])
}

/** Groups points into lines. The points are sorted by line and time. */
function toSeries(points: readonly LinePoint[]): monitoring.UsageChart['series'] {
  const lines = new Map<number, monitoring.UsageChart['series'][number]>()
  for (const { place, key, name, at, count } of points) {
    const line = lines.get(place) ?? { key, name, count: 0, points: [] }
    lines.set(place, { ...line, count: line.count + count, points: [...line.points, { at, count }] })
  }
  return [...lines.values()]
}
