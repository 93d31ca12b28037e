import { events } from '@rolecall/contract'
import type { Database, Queryable } from '#platform/db/database'
import { ownHorizon } from '#platform/db/own-horizon'
import { type Sql, sql } from '#platform/db/sql'
import { type Mark, type Position, toEventId } from './position.ts'

/** An event of a project. Changes write their events to the outbox, a table, in the same transaction. */
export interface EventRow {
  readonly projectId: string
  readonly type: string
  readonly position: Position
  /** The event in the format of Server-Sent Events. */
  readonly frame: Buffer
}

/** The result of one read of the outbox. */
export interface EventsRead {
  /** The first transaction that may be unfinished. All earlier ones are finished, so they cannot add events anymore. */
  readonly horizon: bigint
  /** One more than the last finished transaction at the time of the read. */
  readonly end: bigint
  /** The time of the database's clock in Unix seconds. */
  readonly nowSec: number
  readonly rows: readonly EventRow[]
  /** False if there are more rows than one read returns. */
  readonly isAll: boolean
}

/** The maximum number of rows that one read returns, about 250 kB. */
const maxRows = 1_000

/** Reads the events of all projects after a position, in order, up to the oldest transaction in progress. */
export const listEventsAfter = (db: Database, after: Position) => readEvents(db, after, sql``)

/** Reads the events of one project after a position, like `listEventsAfter`. */
export const listProjectEventsAfter = (db: Database, after: Position, projectId: string) =>
  readEvents(db, after, sql`and o.project_id = ${projectId}`)

/**
 * A row of the result. The first row is no event. It contains the state of the outbox: the horizon in `xid`, the end in
 * `data`, and the time in `atSec`.
 */
interface EventsRow {
  readonly id: number
  readonly xid: string
  readonly projectId: string
  readonly type: string
  readonly data: string
  readonly atSec: number
}

/**
 * The known event types. Other types, which a newer version has written, are not sent, because their data is unknown.
 */
const eventTypes = Object.keys(events.Events)

/**
 * Reads events. If the oldest transaction in progress would keep the position from advancing, uses `ownHorizon`, which
 * is more exact but more expensive.
 */
async function readEvents(db: Database, { xid, id }: Position, condition: Sql): Promise<EventsRead> {
  const [state, ...found] = await db.batched<EventsRow>(sql`
    with present as materialized (
      select pg_snapshot_xmax(s) as "end", case when pg_snapshot_xmin(s) > ${`${xid}`}::xid8 then pg_snapshot_xmin(s)
        else greatest(${ownHorizon}, ${`${xid}`}::xid8) end as horizon
      from pg_current_snapshot() s)
    select null::bigint as id, horizon::text as xid, null::uuid as "projectId", null as type,
      "end"::text as data, floor(extract(epoch from clock_now()))::float8 as "atSec"
    from present
    union all (
      select o.id, o.xid::text, o.project_id, o.type, (o.data || jsonb_build_object('at', iso(o.created_at)))::text,
        floor(extract(epoch from o.created_at))::float8
      from outbox o
      where (o.xid, o.id) > (${`${xid}`}::xid8, ${id}::bigint) and o.xid < (select horizon from present)
        and o.type = any(${eventTypes}::text[]) ${condition}
      order by o.xid, o.id limit ${maxRows})`)
  if (!state) throw new Error('The requested snapshot is missing.')
  return {
    horizon: BigInt(state.xid),
    end: BigInt(state.data),
    nowSec: state.atSec,
    rows: found.map(toEventRow),
    isAll: found.length < maxRows,
  }
}

function toEventRow({ id, xid, projectId, type, data, atSec }: EventsRow): EventRow {
  const position = { xid: BigInt(xid), id }
  return { projectId, type, position, frame: frameOf({ ...position, atSec }, type, data) }
}

/** Returns the current position, for a reader that needs no earlier events. */
export async function readPresent(db: Database): Promise<Mark> {
  const [present] = await db.batched<{ horizon: string; nowSec: number }>(sql`
    select (${ownHorizon})::text as horizon, floor(extract(epoch from clock_now()))::float8 as "nowSec"
    from pg_current_snapshot() s`)
  return { xid: BigInt(present?.horizon ?? 0), id: 0, atSec: present?.nowSec ?? 0 }
}

/** Formats an event for Server-Sent Events. `data` must be JSON without line breaks. */
export const frameOf = (mark: Mark, type: string, data: string) =>
  Buffer.from(`id: ${toEventId(mark)}\nevent: ${type}\ndata: ${data}\n\n`)

/**
 * Assigns all stored events to the current transaction, after a database was restored into another cluster. The events
 * have transaction numbers of the old cluster. Without this, they would not be sent until the counter of the new
 * cluster reaches these numbers. Their order stays the same, because events of one transaction are in the order of
 * their IDs.
 */
export async function renumberEvents(tx: Queryable) {
  await tx.execute(sql`update outbox set xid = pg_current_xact_id()`)
  await tx.execute(sql`
    update deliveries set xid = pg_current_xact_id()
    where kind = 'event' and delivered_at is null and failed_at is null`)
}

/**
 * Writes the event `reset` for every project, because clients may have received events that a restored database lacks.
 */
export const resetProjects = (tx: Queryable) =>
  tx.execute(sql`
    insert into outbox (project_id, type, data)
    select id, 'reset', jsonb_build_object('reason', 'unknown_id') from projects where deleted_at is null`)
