import type { Database } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import { type Mark, type Position, toEventId } from './position.ts'

export interface EventRow {
  readonly projectId: string
  readonly type: string
  readonly position: Position
  /** The event as it is sent. */
  readonly frame: Buffer
}

/** What a look into the outbox finds. */
export interface Look {
  /** Every transaction before this one is finished: nothing can be added before it. */
  readonly horizon: bigint
  /** No transaction from this one on had finished. */
  readonly end: bigint
  /** The database's clock. */
  readonly nowSec: number
  readonly rows: readonly EventRow[]
  /** False when there is more than one look takes. */
  readonly isAll: boolean
}

/** Rows of one look: a quarter of a megabyte. */
const maxRows = 1_000

/** What happened after a position, in order, up to the oldest transaction that is under way. */
export const lookAfter = (db: Database, after: Position) => look(db, after, sql``)

/** The same for one project. */
export const lookAfterFor = (db: Database, after: Position, projectId: string) =>
  look(db, after, sql`and o.project_id = ${projectId}`)

async function look(db: Database, { xid, id }: Position, condition: Sql): Promise<Look> {
  const [state = [], ...found] = await db.gathered(sql`
    select null::bigint, pg_snapshot_xmin(s)::text, null::uuid, pg_snapshot_xmax(s)::text, null,
      floor(extract(epoch from clock_now()))::float8
    from pg_current_snapshot() s
    union all (
      select o.id, o.xid::text, o.project_id, o.type, (o.data || jsonb_build_object('at', iso(o.created_at)))::text,
        floor(extract(epoch from o.created_at))::float8
      from outbox o
      where (o.xid, o.id) > (${`${xid}`}::xid8, ${id}::bigint) and o.xid < pg_snapshot_xmin(pg_current_snapshot())
        and o.type in ('session.revoked', 'session.rotated', 'member.roles_changed', 'member.left',
          'project.disabled', 'key.ending', 'key.ended', 'reset') ${condition}
      order by o.xid, o.id limit ${maxRows})`)
  const [, horizon, , end, , nowSec] = state as [null, string, null, string, null, number]
  return {
    horizon: BigInt(horizon),
    end: BigInt(end),
    nowSec,
    rows: found.map(toEventRow),
    isAll: found.length < maxRows,
  }
}

function toEventRow(row: unknown[]): EventRow {
  const [id, xid, projectId, type, data, atSec] = row as [number, string, string, string, string, number]
  const position = { xid: BigInt(xid), id }
  return { projectId, type, position, frame: frameOf({ ...position, atSec }, type, data) }
}

/** Where a reader begins that has seen nothing and needs nothing from before. */
export async function readPresent(db: Database): Promise<Mark> {
  const [[horizon, nowSec] = []] = (await db.gathered(sql`
    select pg_snapshot_xmin(pg_current_snapshot())::text, floor(extract(epoch from clock_now()))::float8`)) as [
    string,
    number,
  ][]
  return { xid: BigInt(horizon ?? 0), id: 0, atSec: nowSec ?? 0 }
}

/** An event as Server-Sent Events write it. JSON has no line breaks. */
export const frameOf = (mark: Mark, type: string, data: string) =>
  Buffer.from(`id: ${toEventId(mark)}\nevent: ${type}\ndata: ${data}\n\n`)
