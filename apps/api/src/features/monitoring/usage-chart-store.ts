import type { monitoring } from '@rolecall/contract'
import type { Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import { inPeriod, type UsageQuery } from './read-store.ts'
import { noProject } from './store.ts'

/** Both ends of a period, in ISO 8601. */
export interface Period {
  readonly from: string
  readonly to: string
}

/** Returns the requested period. The default is the last day. The period never begins before 1970. */
export async function readUsagePeriod(
  db: Queryable,
  { from, to }: Pick<UsageQuery, 'from' | 'to'>,
): Promise<Period> {
  const period = await db.maybeOne<Period>(sql`
    select iso(greatest(to_timestamp(0), date_trunc('minute', coalesce(${from}::timestamptz,
        coalesce(${to}::timestamptz, clock_now()) - interval '1 day')))) as "from",
      iso(coalesce(${to}::timestamptz, clock_now())) as "to"`)
  if (!period) throw new Error('A statement without a table returned no row.')
  return period
}

/** The form of a chart. */
interface Chart {
  /** The length of a bucket in seconds. */
  readonly bucketSec: number
  readonly groupBy: NonNullable<monitoring.UsageQuery['groupBy']>
  /** The maximum number of lines. */
  readonly lines: number
}

/** A point of a line. */
export interface LinePoint {
  /** The rank of the line. The busiest line has 1. */
  readonly place: number
  /** The project, endpoint, or other key of the line. Null for the line that combines all others. */
  readonly key: string | null
  readonly name: string
  readonly at: string
  readonly count: number
}

const keyColumns: Readonly<Record<Chart['groupBy'], Sql>> = {
  none: sql`'all'`,
  project: sql`project_id::text`,
  route: sql`route`,
  status: sql`status::text`,
}

/**
 * Sums the requests by bucket and line. If there are too many lines, combines the least busy ones into the last line.
 */
export const sumUsage = (db: Queryable, request: UsageQuery, { bucketSec, groupBy, lines }: Chart) =>
  db.query<LinePoint>(sql`
    with summed as (
      select date_bin(${bucketSec}::int * interval '1 second', minute, timestamptz 'epoch') as at,
        ${keyColumns[groupBy]} as key, sum(count)::bigint as count
      from usage_minutes where ${inPeriod(request)} group by 1, 2
    ), ranked as (
      select key, row_number() over (order by sum(count) desc, key) as rank, count(*) over () as ranks
      from summed group by key
    ), placed as (
      select case when r.ranks > ${lines}::int and r.rank >= ${lines}::int then ${lines}::int else r.rank end as place,
        case when r.ranks > ${lines}::int and r.rank >= ${lines}::int then null else s.key end as key, s.at, s.count
      from summed s join ranked r on r.key = s.key)
    select p.place::int as place, case when p.key = ${noProject} then 'none' else p.key end as key,
      case when p.key is null then 'Others' when p.key = ${noProject} then 'No project'
        when p.key = 'all' then 'All requests' else coalesce(max(o.name), p.key) end as name,
      iso(p.at) as at, sum(p.count)::bigint as count
    from placed p left join projects o on o.id::text = p.key
    group by p.place, p.key, p.at order by p.place, p.at`)
