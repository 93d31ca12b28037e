import type { Queryable } from '#platform/db/database'
import { allOf, type Sql, sql } from '#platform/db/sql'

/** Bytes of payload that one page holds; at least one submission is on it. */
const mostPageBytes = 1024 * 1024

export interface SubmissionRow {
  readonly id: string
  readonly receivedAt: Date
  readonly isSigned: boolean
  readonly origin: string | null
  /** JSON text. */
  readonly payload: string
}

export interface SubmissionFilter {
  readonly webhookId: string
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

const columns = sql`s.id, s.received_at as "receivedAt", s.is_signed as "isSigned", s.origin, s.payload`

const matching = ({ webhookId, from, to }: SubmissionFilter): Sql =>
  allOf([
    sql`s.webhook_id = ${webhookId}`,
    ...(from ? [sql`s.received_at >= ${from.toISOString()}::timestamptz`] : []),
    ...(to ? [sql`s.received_at <= ${to.toISOString()}::timestamptz`] : []),
  ])

/** A page, newest first, behind the submission that the cursor names. One more than `limit` says that there are more. */
export const pageOfSubmissions = (
  db: Queryable,
  filter: SubmissionFilter,
  cursor: string | undefined,
  limit: number,
) => {
  const behind =
    cursor === undefined
      ? sql`true`
      : sql`(s.received_at, s.id) < (
          select c.received_at, c.id from inbound_submissions c
          where c.id = ${cursor} and c.webhook_id = ${filter.webhookId})`
  return db.query<SubmissionRow>(sql`
    select ${columns} from (
      select s.*, sum(octet_length(s.payload)) over (order by s.received_at desc, s.id desc)
        - octet_length(s.payload) as bytes_before
      from (
        select * from inbound_submissions s where ${matching(filter)} and ${behind}
        order by s.received_at desc, s.id desc limit ${limit + 1}) s) s
    where s.bytes_before < ${mostPageBytes}
    order by s.received_at desc, s.id desc`)
}

export const allSubmissions = (filter: SubmissionFilter): Sql => sql`
  select ${columns} from inbound_submissions s where ${matching(filter)}
  order by s.received_at desc, s.id desc`
