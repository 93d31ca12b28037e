import type { Queryable, Tx } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import type { Role } from '#responses/roles'
import { type Change, toChange } from './change.ts'
import { unseenIn } from './snapshot.ts'

/** Runs a statement and returns its rows. */
export type Run = <Row>(statement: Sql) => Promise<Row[]>

/** The time to which the gateway vouches for a server's mirror, and the end of that, by the database's clock. */
export interface Vouched {
  readonly asOfMs: number
  readonly untilMs: number
}

/** A process that may be serving from memory, according to its row. */
export interface Holder {
  readonly id: string
  /** The number of its renewals: while it grows, the process lives. */
  readonly renewals: number
  /** A snapshot with all changes applied by the holder. */
  readonly acknowledged: string
  /** True if this snapshot has a change that the holder has not acknowledged. */
  readonly isBehind: boolean
}

/** The result of one read of the change log, in one snapshot. */
export interface LogSnapshot {
  readonly snapshot: string
  /** Distinguishes runs of the database server, and its connections. */
  readonly server: string
  /** The database's clock. */
  readonly nowMs: number
  readonly changes: readonly Change[]
  readonly live: ReadonlyMap<string, Vouched>
  /** All other holders. */
  readonly holders: readonly Holder[]
}

export interface ReadTerms {
  /** The snapshot of the previous read; without one the cache is empty, and nothing has changed. */
  readonly since: string | undefined
  readonly self: string | undefined
  /** True to notify holders that are behind, with the changes that they have not acknowledged. */
  readonly invalidate: boolean
}

export const channel = 'rolecall_answers'
const nobody = '00000000-0000-0000-0000-000000000000'
const endOfAll = '9223372036854775807'
/** The maximum number of changes in an invalidation. A larger one carries none: its receivers read the change log. */
const maxCarried = 50
/** Notifications carry less than 8,000 bytes. Waiting processes find a longer snapshot in the row. */
const maxNotified = 7_000

/**
 * Reads the changes that an earlier snapshot did not contain, and the state of everything else that responses depend
 * on. Each change is read once, however long a transaction that began before it stays open, here or in another
 * database of the same server. Changed roles come with all roles of that server, in the same snapshot. An invalidation
 * names the holders that are behind and carries all changes that any of them has not acknowledged, so that they need
 * not read. It carries none if they are too large for a notification, or include roles, which would have to be read.
 */
export async function readChangeLog(
  run: Run,
  { since, self = nobody, invalidate }: ReadTerms,
): Promise<LogSnapshot> {
  const { end, running } = since === undefined ? { end: endOfAll, running: '{}' } : unseenIn(since)
  const rows = await run<LogRow>(sql`
    with changes as (
      select kind, fact from session_changes where xid >= ${end}::xid8 or xid = any(${running}::xid8[])),
    holders as (
      select l.id, l.renewals, l.acknowledged, case when l.id = ${nobody}::uuid then l.renewals = 0
        else exists (
          select from session_changes c where c.xid >= pg_snapshot_xmax(l.acknowledged)
            or c.xid = any(array(select pg_snapshot_xip(l.acknowledged)))) end as is_behind
      from answer_leases l where l.id <> ${self}::uuid or l.id = ${nobody}::uuid),
    behind as (select id, acknowledged from holders where is_behind and id <> ${nobody}::uuid),
    unheard as (
      select c.kind, c.fact, count(*) over (partition by b.id) as of_holder
      from behind b cross join lateral (
        select kind, fact from session_changes where xid >= pg_snapshot_xmax(b.acknowledged)
          or xid = any(array(select pg_snapshot_xip(b.acknowledged))) limit ${maxCarried + 1}) c),
    carried as (
      select pg_current_snapshot()::text || ' ' || jsonb_build_object(
        'holders', (select jsonb_agg(id) from behind),
        'changes', jsonb_agg(distinct jsonb_build_array(kind, fact)))::text as text
      from unheard having max(of_holder) <= ${maxCarried} and not bool_or(kind = 'roles'))
    select 0 as kind, pg_current_snapshot()::text as a,
      pg_postmaster_start_time()::text || ' ' || pg_backend_pid() as b,
      (extract(epoch from clock_now()) * 1000)::float8 as x, null::float8 as y
    union all
    select 1, kind, fact, null, null from changes
    union all
    select 2, id, null, (extract(epoch from live_as_of) * 1000)::float8,
      (extract(epoch from live_until) * 1000)::float8
    from servers where live_until > clock_now()
    union all
    select 3, id::text, acknowledged::text, renewals::float8, is_behind::int::float8 from holders
    union all
    select 4, c.fact, (select coalesce(json_agg(json_build_object('id', r.id, 'name', r.name, 'color', r.color,
        'position', r.position) order by r.position desc, r.id), '[]')
      from roles r where r.server_id = c.fact)::text, null, null
    from (select distinct fact from changes where kind = 'roles') c
    union all
    select 5, pg_notify(${channel}, 'look ' || ${self} || coalesce(
      (select ' ' || text from carried where octet_length(text) <= ${maxNotified}), ''))::text, null, null, null
    where ${invalidate} and exists (select from holders where is_behind)`)
  return toLogSnapshot(rows)
}

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
  let state = { snapshot: '', server: '', nowMs: 0 }
  for (const { kind, a, b, x, y } of rows) {
    if (kind === 0) state = { snapshot: a, server: b, nowMs: x }
    else if (kind === 1) changed.push([a, b])
    else if (kind === 2) live.set(a, { asOfMs: x, untilMs: y })
    else if (kind === 3) holders.push({ id: a, renewals: x, acknowledged: b, isBehind: y === 1 })
    else if (kind === 4) rolesOf.set(a, JSON.parse(b) as Role[])
  }
  return { ...state, live, holders, changes: changed.map(([kind, fact]) => toChange(kind, fact, rolesOf)) }
}

/** The row that represents all holders of a lease at the time when a crash emptied the table. */
export const unknownHolder = nobody

/** Inserts that row if it is missing. */
export const addUnknownHolder = (run: Run) =>
  run(sql`
    insert into answer_leases (id, renewals) values (${nobody}, 0) on conflict do nothing`)

/**
 * Deletes the lease of a holder that has not renewed it since this count: it can no longer renew it. A holder from
 * before a crash has no lease left either.
 */
export const endLease = (run: Run, { id, renewals }: Pick<Holder, 'id' | 'renewals'>) =>
  run(sql`
    with settled as (
      update answer_leases set renewals = 1 where id = ${nobody}::uuid and id = ${id}::uuid and renewals = 0)
    delete from answer_leases where id = ${id}::uuid and id <> ${nobody}::uuid and renewals = ${renewals}`)

/**
 * Inserts the row of a holder with an empty cache, and deletes its previous row. Returns the snapshot that it begins
 * with.
 */
export const join = async (run: Run, id: string, before: string | undefined): Promise<string> => {
  const [joined] = await run<{ acknowledged: string }>(sql`
    with left_behind as (delete from answer_leases where id = ${before ?? null}::uuid)
    insert into answer_leases (id) values (${id}) returning acknowledged::text`)
  if (!joined) throw new Error('The inserted lease returned no row.')
  return joined.acknowledged
}

/** Renews a lease and records the applied snapshot; false if the lease was taken away. */
export const renew = async (run: Run, id: string, acknowledged: string): Promise<boolean> => {
  const rows = await run(sql`
    update answer_leases set renewals = renewals + 1, acknowledged = ${acknowledged}::pg_snapshot
    where id = ${id} returning id`)
  return rows.length > 0
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
      where pg_snapshot_xmin(acknowledged) < ${horizon}::xid8 and id <> ${nobody}::uuid`)
    await tx.execute(sql`delete from session_changes where xid < ${horizon}::xid8`)
  })
}

/**
 * Empties the change log and the leases of a database that was restored from another cluster. The changes carry
 * transaction IDs of that cluster: here they are in the future, so each read would return all of them, and no trim
 * would reach them.
 */
export async function emptyChangeLog(tx: Queryable) {
  await tx.execute(sql`delete from answer_leases where id <> ${nobody}::uuid`)
  await tx.execute(sql`delete from session_changes`)
}
