import type { Queryable, Tx } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import type { Role } from '#responses/roles'
import { type Change, toChange } from './change.ts'
import { unseenIn } from './snapshot.ts'

/** Runs a statement and returns its rows. */
export type Run = <Row>(statement: Sql) => Promise<Row[]>

/** The gateway's statement that a server's mirror is current. Times are by the database's clock. */
export interface Vouched {
  /** The moment up to which the mirror contains every change. */
  readonly asOfMs: number
  /** The end of the statement, unless it is renewed. */
  readonly untilMs: number
}

/** A process that holds a lease according to its row, so it may serve from memory. */
export interface Holder {
  readonly id: string
  /** The number of renewals. While it grows, the process is alive. */
  readonly renewals: number
  /** The snapshot that the holder has applied, according to its row. */
  readonly acknowledged: string
  /** True if this snapshot has a change that the holder has not acknowledged, in its row or otherwise. */
  readonly isBehind: boolean
}

/** The result of one read of the change log, in one snapshot. */
export interface LogSnapshot {
  readonly snapshot: string
  /** Identifies the run of the database server, and the connection to it. */
  readonly server: string
  /** The database's clock. */
  readonly nowMs: number
  /** The version of the stored settings, which every process reads with the log, so that no extra query is needed. */
  readonly settingsVersion: number
  /** True if the statement has renewed the lease. False for a read without a renewal, and if the row was deleted. */
  readonly isRenewed: boolean
  readonly changes: readonly Change[]
  readonly live: ReadonlyMap<string, Vouched>
  /** All other holders. */
  readonly holders: readonly Holder[]
}

export interface ReadTerms {
  /** The snapshot of the previous read. Undefined if the cache is empty, so that no change is of interest. */
  readonly since: string | undefined
  readonly self: string | undefined
  /** True to renew the reader's lease in the same statement, and to acknowledge `since` in its row. */
  readonly renews: boolean
  readonly invalidate: Invalidate
  /** The latest acknowledgements by holder, which the rows may not contain yet. */
  readonly acknowledgementsByHolder: ReadonlyMap<string, string>
}

/**
 * Determines how a read notifies the holders that are behind, with the changes that they have not acknowledged. They
 * acknowledge through the cache (`quick`), which costs the database nothing and may be lost, or in their rows (`safe`).
 */
export type Invalidate = 'none' | 'quick' | 'safe'

export const channel = 'rolecall_answers'
const nilUuid = '00000000-0000-0000-0000-000000000000'
const maxXid = '9223372036854775807'
/**
 * The maximum number of changes in an invalidation. With more, it carries none, and its receivers read the change log.
 */
const maxCarried = 50
/** A notification holds less than 8,000 bytes. Waiting processes read a longer snapshot from the row. */
const maxNotified = 7_000

/**
 * Reads the changes that an earlier snapshot did not contain, and the state of everything else that responses depend
 * on. Each change is read once, however long a transaction that began before it stays open, here or in another database
 * of the same server. Changed roles come with all roles of that server, in the same snapshot. An invalidation names the
 * holders that are behind and carries all changes that any of them has not acknowledged, so that they need not read. It
 * carries none if they are too large for a notification, or include roles, which would have to be read.
 *
 * A renewal in the statement commits after the statement's snapshot. In between, another process may commit a change
 * and still find the old row. So the read confirms only the previous renewal.
 */
export async function readChangeLog(
  run: Run,
  { since, self = nilUuid, renews, invalidate, acknowledgementsByHolder: acknowledgements }: ReadTerms,
): Promise<LogSnapshot> {
  const { end, running } = since === undefined ? { end: maxXid, running: '{}' } : unseenIn(since)
  const rows = await run<LogRow>(sql`
    with ${renews ? renewal(self, since) : sql``} changes as (
      select kind, fact from session_changes where xid >= ${end}::xid8 or xid = any(${running}::xid8[])),
    leases as (
      select l.id, l.renewals, l.acknowledged as in_row,
        case when pg_snapshot_xmax(h.snapshot::pg_snapshot) >= pg_snapshot_xmax(l.acknowledged)
          then h.snapshot::pg_snapshot else l.acknowledged end as acknowledged
      from answer_leases l
      left join unnest(${[...acknowledgements.keys()]}::uuid[], ${[...acknowledgements.values()]}::text[]) h (id, snapshot)
        on h.id = l.id
      where l.id <> ${self}::uuid or l.id = ${nilUuid}::uuid),
    holders as (
      select k.*, case when k.id = ${nilUuid}::uuid then k.renewals = 0
        else exists (
          select from session_changes c where c.xid >= pg_snapshot_xmax(k.acknowledged)
            or c.xid = any(array(select pg_snapshot_xip(k.acknowledged)))) end as is_behind
      from leases k),
    behind as (select id, acknowledged from holders where is_behind and id <> ${nilUuid}::uuid),
    unacknowledged as (
      select c.kind, c.fact, count(*) over (partition by b.id) as of_holder
      from behind b cross join lateral (
        select kind, fact from session_changes where xid >= pg_snapshot_xmax(b.acknowledged)
          or xid = any(array(select pg_snapshot_xip(b.acknowledged))) limit ${maxCarried + 1}) c),
    carried as (
      select pg_current_snapshot()::text || ' ' || jsonb_build_object(
        'isQuick', ${invalidate === 'quick'}::boolean, 'holders', (select jsonb_agg(id) from behind),
        'changes', jsonb_agg(distinct jsonb_build_array(kind, fact)))::text as text
      from unacknowledged having max(of_holder) <= ${maxCarried} and not bool_or(kind = 'roles'))
    select 0 as kind, pg_current_snapshot()::text as a,
      pg_postmaster_start_time()::text || ' ' || pg_backend_pid() as b,
      (extract(epoch from clock_now()) * 1000)::float8 as x, (select version from settings)::float8 as y
    union all
    select 1, kind, fact, null, null from changes
    union all
    select 2, id, null, (extract(epoch from live_as_of) * 1000)::float8,
      (extract(epoch from live_until) * 1000)::float8
    from servers where live_until > clock_now()
    union all
    select 3, id::text, in_row::text, renewals::float8, is_behind::int::float8 from holders
    union all
    select 4, c.fact, (select coalesce(json_agg(json_build_object('id', r.id, 'name', r.name, 'color', r.color,
        'position', r.position) order by r.position desc, r.id), '[]')
      from roles r where r.server_id = c.fact)::text, null, null
    from (select distinct fact from changes where kind = 'roles') c
    union all
    select 5, pg_notify(${channel}, 'look ' || ${self} || coalesce(
      (select ' ' || text from carried where octet_length(text) <= ${maxNotified}),
      ${invalidate === 'quick' ? ' - {"isQuick":true}' : ''}))::text, null, null, null
    where ${invalidate !== 'none'} and exists (select from holders where is_behind)
    ${renews ? renewedRow : sql``}`)
  return toLogSnapshot(rows)
}

const renewal = (self: string, acknowledged: string | undefined) => sql`
    renewed as (
      update answer_leases set renewals = renewals + 1, acknowledged = ${acknowledged}::pg_snapshot
      where id = ${self}::uuid returning id),`

const renewedRow = sql`
    union all
    select 6, id::text, null, null, null from renewed`

/** A row with columns that depend on its kind. */
interface LogRow {
  readonly kind: number
  readonly a: string
  readonly b: string
  readonly x: number
  readonly y: number
}

function toLogSnapshot(rows: readonly LogRow[]): LogSnapshot {
  const changed: [string, string][] = []
  const rolesOf = new Map<string, readonly Role[]>()
  const live = new Map<string, Vouched>()
  const holders: Holder[] = []
  let state = { snapshot: '', server: '', nowMs: 0, settingsVersion: -1 }
  let isRenewed = false
  for (const { kind, a, b, x, y } of rows) {
    if (kind === 0) state = { snapshot: a, server: b, nowMs: x, settingsVersion: y }
    else if (kind === 1) changed.push([a, b])
    else if (kind === 2) live.set(a, { asOfMs: x, untilMs: y })
    else if (kind === 3) holders.push({ id: a, renewals: x, acknowledged: b, isBehind: y === 1 })
    else if (kind === 4) rolesOf.set(a, JSON.parse(b) as Role[])
    else if (kind === 6) isRenewed = true
  }
  return {
    ...state,
    isRenewed,
    live,
    holders,
    changes: changed.map(([kind, fact]) => toChange(kind, fact, rolesOf)),
  }
}

/** The ID of the row that stands for all holders before a crash, which empties the table. */
export const unknownHolder = nilUuid

/** Inserts the row of `unknownHolder` if it is missing. */
const addUnknownHolder = (run: Run) =>
  run(sql`
    insert into answer_leases (id, renewals) values (${nilUuid}, 0) on conflict do nothing`)

/**
 * Returns the holders of a read, including the row that stands for all holders before a crash. Inserts that row if it
 * is missing, as after a crash.
 */
export async function withUnknownHolder(
  run: Run,
  { holders }: Pick<LogSnapshot, 'holders'>,
): Promise<readonly Holder[]> {
  if (holders.some(({ id }) => id === unknownHolder)) return holders
  await addUnknownHolder(run)
  return [...holders, { id: unknownHolder, renewals: 0, acknowledged: '', isBehind: true }]
}

/**
 * Deletes the lease of a holder that has not renewed it since this count, so that it can no longer renew the lease. The
 * row of the holders before a crash stays, and is marked as ended.
 */
export const endLease = (run: Run, { id, renewals }: Pick<Holder, 'id' | 'renewals'>) =>
  run(sql`
    with settled as (
      update answer_leases set renewals = 1 where id = ${nilUuid}::uuid and id = ${id}::uuid and renewals = 0)
    delete from answer_leases where id = ${id}::uuid and id <> ${nilUuid}::uuid and renewals = ${renewals}`)

/**
 * Inserts the row of a holder with an empty cache, and deletes its previous row. Returns the snapshot from which the
 * holder reads changes.
 */
export const join = async (run: Run, id: string, previousId: string | undefined): Promise<string> => {
  const [joined] = await run<{ acknowledged: string }>(sql`
    with removed as (delete from answer_leases where id = ${previousId ?? null}::uuid)
    insert into answer_leases (id) values (${id}) returning acknowledged::text`)
  if (!joined) throw new Error('The inserted lease returned no row.')
  return joined.acknowledged
}

/** Acknowledges the applied snapshot in the row, and notifies the processes that wait for it. */
export const acknowledge = (run: Run, id: string, snapshot: string) =>
  run(sql`
    with acknowledged as (
      update answer_leases set acknowledged = ${snapshot}::pg_snapshot where id = ${id} returning id)
    select pg_notify(${channel}, ${`ack ${id} ${snapshot.slice(0, maxNotified)}`}) from acknowledged
    where ${snapshot.length <= maxNotified}`)

export const leave = (run: Run, id: string) =>
  run(sql`
    delete from answer_leases where id = ${id}`)

/**
 * Deletes the changes of transactions before an old horizon. Before that, deletes the leases of all holders that may
 * not have read them: they clear their caches.
 */
export async function trimChanges(
  db: { transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> },
  horizon: string,
) {
  await db.transaction(async (tx: Queryable) => {
    await tx.execute(sql`
      delete from answer_leases
      where pg_snapshot_xmin(acknowledged) < ${horizon}::xid8 and id <> ${nilUuid}::uuid`)
    await tx.execute(sql`delete from session_changes where xid < ${horizon}::xid8`)
  })
}

/**
 * Empties the change log and the leases of a database that was restored from another cluster. The transaction IDs of
 * that cluster are in the future here: each read would return all of these changes, and no trim would delete them.
 */
export async function emptyChangeLog(tx: Queryable) {
  await tx.execute(sql`delete from answer_leases where id <> ${nilUuid}::uuid`)
  await tx.execute(sql`delete from session_changes`)
}
