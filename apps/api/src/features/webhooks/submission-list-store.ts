import type { Queryable } from '#platform/db/database'
import { allOf, type Sql, sql } from '#platform/db/sql'

/** The maximum number of payload bytes on a page. A longer submission is alone on its page. */
const maxPageBytes = 1024 * 1024

/** A stored submission. */
export interface SubmissionRow {
  readonly id: string
  readonly receivedAt: Date
  readonly isSigned: boolean
  readonly origin: string | null
  /** The body as it was sent, which is JSON text. */
  readonly payload: string
}

/** The submissions to list: of one webhook, in a period whose ends are included. */
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

/** Selects the submissions after the one whose ID is the cursor. If it has been deleted, selects nothing. */
export const afterCursor = (webhookId: string, cursor: string | undefined): Sql =>
  cursor === undefined
    ? sql`true`
    : sql`(s.received_at, s.id) < (
        select c.received_at, c.id from inbound_submissions c
        where c.id = ${cursor} and c.webhook_id = ${webhookId})`

/** Selects the submissions after this row, even if it has been deleted in the meantime. */
export const afterRow = ({ receivedAt, id }: SubmissionRow): Sql =>
  sql`(s.received_at, s.id) < (${receivedAt.toISOString()}::timestamptz, ${id}::uuid)`

/**
 * Reads a page, newest first. The page may be shorter than `limit`, because its payloads have a maximum size. To find
 * out if there are more submissions, request one more than needed.
 */
export const pageOfSubmissions = (db: Queryable, filter: SubmissionFilter, after: Sql, limit: number) =>
  db.query<SubmissionRow>(sql`
    select ${columns} from (
      select s.*, sum(octet_length(s.payload)) over (order by s.received_at desc, s.id desc)
        - octet_length(s.payload) as bytes_before
      from (
        select * from inbound_submissions s where ${matching(filter)} and ${after}
        order by s.received_at desc, s.id desc limit ${limit}) s) s
    where s.bytes_before < ${maxPageBytes}
    order by s.received_at desc, s.id desc`)
