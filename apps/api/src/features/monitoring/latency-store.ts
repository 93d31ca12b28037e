import type { latency } from '@rolecall/contract'
import type { Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import { inPeriod, type UsageQuery } from './read-store.ts'
import { noProject, ofEachCell } from './store.ts'

/** The latency of one route or project in a period. */
export interface LatencyRow {
  readonly key: string
  readonly name: string
  readonly count: number
  readonly clientErrors: number
  readonly serverErrors: number
  /** The number of requests up to each bound of the histogram and, last, the number beyond the last bound. */
  readonly took: readonly number[]
}

const keyColumns: Readonly<Record<latency.LatencyGroup, Sql>> = {
  route: sql`route`,
  project: sql`project_id::text`,
}

/**
 * Sums the latency by route or project, the busiest first. Each cell of the histogram array is summed separately,
 * because `unnest` would turn each row into a dozen.
 */
export const sumLatency = (
  db: Queryable,
  request: UsageQuery,
  groupBy: latency.LatencyGroup,
  limit: number,
) =>
  db.query<LatencyRow>(sql`
    with summed as (
      select ${keyColumns[groupBy]} as key, sum(count)::bigint as count,
        coalesce(sum(count) filter (where status / 100 = 4), 0)::bigint as "clientErrors",
        coalesce(sum(count) filter (where status / 100 = 5), 0)::bigint as "serverErrors", array[${ofEachCell((cell) => `coalesce(sum(took[${cell}]), 0)::float8`)}] as took
      from usage_minutes where ${inPeriod(request)} group by 1 order by 2 desc, 1 limit ${limit})
    select case when s.key = ${noProject} then 'none' else s.key end as key,
      case when s.key = ${noProject} then 'No project' else coalesce(o.name, s.key) end as name,
      s.count, s."clientErrors", s."serverErrors", s.took
    from summed s left join projects o on o.id::text = s.key
    order by s.count desc, s.key`)
