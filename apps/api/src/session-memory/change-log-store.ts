import { rolesAsJson } from '#member/columns'
import type { Queryable, Tx } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import type { Role } from '#responses/roles'
import { type Change, toChange } from './change.ts'
import { invisibleIn } from './snapshot.ts'

/** Runs a statement and returns its rows. */
export type Run = <Row>(statement: Sql) => Promise<Row[]>

/** The gateway's guarantee that the mirror of a server is current. Times are by the database's clock. */
export interface Liveness {
  /** The mirror contains every change up to this time. */
  readonly asOfMs: number
  /** The guarantee ends at this time, unless the gateway renews it. */
  readonly untilMs: number
}

/** A process that may serve from its memory, according to its row in `answer_leases`. */
export interface Holder {
  readonly id: string
  /** The number of renewals. If it grows between two reads, the process is alive. */
  readonly renewals: number
  /** The snapshot whose changes the holder has applied, according to its row. */
  readonly acknowledged: string
  /**
   * True if the change log has a change that the holder has not acknowledged, neither in its row nor through the cache.
   */
  readonly isBehind: boolean
}

/** The result of one read of the change log, in one snapshot. */
export interface LogSnapshot {
  readonly snapshot: string
  /**
   * Identifies the start of the database server and the connection. If it changes, the process talks to a different
   * server.
   */
  readonly server: string
  /** The time of the database's clock. */
  readonly nowMs: number
  /** The version of the stored settings. It is read with the log, so that settings need no query of their own. */
  readonly settingsVersion: number
  /**
   * True if the statement renewed the lease. False for a read without a renewal, or if the row of the lease was
   * deleted.
   */
  readonly isRenewed: boolean
  readonly changes: readonly Change[]
  readonly live: ReadonlyMap<string, Liveness>
  /** The other processes that hold a lease. */
  readonly holders: readonly Holder[]
}

/** The options of a read of the change log. */
export interface ReadOptions {
  /** The snapshot of the previous read. Undefined if the cache is empty: then no change matters. */
  readonly since: string | undefined
  /** The lease of the reader. Undefined for a process without a lease. */
  readonly self: string | undefined
  /** True to renew the reader's lease in the same statement, and to acknowledge `since` in its row. */
  readonly renews: boolean
  readonly invalidate: Invalidate
  /** The latest acknowledgement of each holder, some of which its row may not contain yet. */
  readonly acknowledgementsByHolder: ReadonlyMap<string, string>
}

/**
 * Determines whether a read also notifies the holders that are behind, and how they acknowledge. With `quick`, they
 * acknowledge through the cache, which costs the database nothing but can lose a message. With `safe`, they write to
 * their rows.
 */
export type Invalidate = 'none' | 'quick' | 'safe'

/** The channel of PostgreSQL's `NOTIFY` on which processes notify each other. */
export const notificationChannel = 'rolecall_answers'
const nilUuid = '00000000-0000-0000-0000-000000000000'
const maxXid = '9223372036854775807'
/**
 * The maximum number of changes per holder in a notification. With more, the notification has no changes, and its
 * receivers read the change log.
 */
const maxCarried = 50
/**
 * The maximum length of a notification's content in bytes; PostgreSQL permits fewer than 8,000. A longer snapshot is
 * not sent, and waiting processes read it from the row.
 */
const maxNotified = 7_000

/**
 * Reads the changes that an earlier snapshot did not contain, and everything else that the cache needs: the clock, the
 * leases, and the servers that the gateway keeps live. Each change is returned once, even if a transaction that began
 * before it stays open for a long time. A change of roles comes with all roles of the server, from the same snapshot.
 *
 * If `invalidate` is not `none`, also notifies the holders that are behind. The notification contains all changes that
 * any of them has not acknowledged, so that they need not read the log. It contains no changes if they are too large
 * for a notification, or include roles, which must be read from their table.
 *
 * A renewal commits after the snapshot of its own statement. Between the two, another process can commit a change and
 * still find the old row. So a read confirms only the previous renewal, never its own.
 */
export async function readChangeLog(
  run: Run,
  { since, self = nilUuid, renews, invalidate, acknowledgementsByHolder: acknowledgements }: ReadOptions,
): Promise<LogSnapshot> {
  const { end, running } = since === undefined ? { end: maxXid, running: '{}' } : invisibleIn(since)
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
    select 4, c.fact, (select ${rolesAsJson}
      from roles r where r.server_id = c.fact)::text, null, null
    from (select distinct fact from changes where kind = 'roles') c
    union all
    select 5, pg_notify(${notificationChannel}, 'look ' || ${self} || coalesce(
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

/** One row of the result. `kind` determines what the other columns contain. */
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
  const live = new Map<string, Liveness>()
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

/**
 * The ID of a row that stands for unknown leases. A crash of the database server empties the table, but the processes
 * may still hold their leases.
 */
export const unknownHolder = nilUuid

/** Inserts the row of `unknownHolder` if it is missing. */
const addUnknownHolder = (run: Run) =>
  run(sql`
    insert into answer_leases (id, renewals) values (${nilUuid}, 0) on conflict do nothing`)

/**
 * Returns the holders of a read. If the row of `unknownHolder` is missing, the database server has crashed: inserts the
 * row, and adds it to the result as a holder that is behind.
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
 * Deletes a lease that was not renewed since this count, so that its holder cannot renew it any more. The row of
 * `unknownHolder` is not deleted but marked as ended, by one renewal.
 */
export const deleteOverdueLease = (run: Run, { id, renewals }: Pick<Holder, 'id' | 'renewals'>) =>
  run(sql`
    with settled as (
      update answer_leases set renewals = 1 where id = ${nilUuid}::uuid and id = ${id}::uuid and renewals = 0)
    delete from answer_leases where id = ${id}::uuid and id <> ${nilUuid}::uuid and renewals = ${renewals}`)

/**
 * Inserts the row of a new holder, which must have an empty cache, and deletes the row of its previous lease. Returns
 * the snapshot from which the holder reads changes.
 */
export const insertLease = async (run: Run, id: string, previousId: string | undefined): Promise<string> => {
  const [joined] = await run<{ acknowledged: string }>(sql`
    with removed as (delete from answer_leases where id = ${previousId ?? null}::uuid)
    insert into answer_leases (id) values (${id}) returning acknowledged::text`)
  if (!joined) throw new Error('The inserted lease returned no row.')
  return joined.acknowledged
}

/** Writes to the row which snapshot was applied, and notifies the processes that wait for it. */
export const acknowledge = (run: Run, id: string, snapshot: string) =>
  run(sql`
    with acknowledged as (
      update answer_leases set acknowledged = ${snapshot}::pg_snapshot where id = ${id} returning id)
    select pg_notify(${notificationChannel}, ${`ack ${id} ${snapshot.slice(0, maxNotified)}`}) from acknowledged
    where ${snapshot.length <= maxNotified}`)

/** Deletes a lease, so that no writer waits for its holder. */
export const deleteLease = (run: Run, id: string) =>
  run(sql`
    delete from answer_leases where id = ${id}`)

/**
 * Deletes the changes of transactions before `horizon`. First deletes the leases of holders that may not have read
 * these changes. Such a holder loses its lease at the next renewal, and clears its cache.
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
 * Deletes all changes and leases after a restore into another database cluster. The transaction IDs of the old cluster
 * may be in the future of the new one, so every read would return their changes, and no trim would delete them.
 */
export async function emptyChangeLog(tx: Queryable) {
  await tx.execute(sql`delete from answer_leases where id <> ${nilUuid}::uuid`)
  await tx.execute(sql`delete from session_changes`)
}
