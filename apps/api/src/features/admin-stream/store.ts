import type { Database } from '#platform/db/database'
import { ownHorizon } from '#platform/db/own-horizon'
import { sql } from '#platform/db/sql'

/** The position of a reader. */
export interface Position {
  /** The last entry of the audit log. */
  readonly auditSeq: number
  /** Memberships that transactions before this one changed. */
  readonly xid: bigint
  /** Syncs and deliveries up to this moment of the database's clock. */
  readonly atMs: number
}

export interface Change {
  readonly kind: 'audit' | 'members' | 'sync' | 'delivery'
  readonly id: string
  /** For members, their server. For other kinds, a value that differs after each change. */
  readonly mark: string
}

interface ChangesRead {
  readonly position: Position
  readonly changes: readonly Change[]
}

/** The number of rows to read: one more than an event lists, to detect further rows. */
export const maxChanges = 51
/** The overlap of two reads. A row can commit after its timestamp, so each read covers this interval again. */
const overlap = sql`interval '10 seconds'`

interface Row extends Omit<Change, 'kind'> {
  readonly kind: Change['kind'] | 'state'
  readonly xid: string | null
  readonly atMs: number | null
}

const state = sql`
  select 'state' as kind, h.seq::text as id, '' as mark, p.horizon::text as xid,
    floor(extract(epoch from clock_now()) * 1000)::float8 as "atMs"
  from audit_head h, present p`

/** Reads the horizon. Every transaction before it has finished, so its changes are visible. */
const present = sql`present as materialized (select ${ownHorizon} as horizon from pg_current_snapshot() s)`

/** Returns the position at which a reader starts that needs no earlier changes. */
export const readPresent = async (db: Database): Promise<Position> =>
  toChangesRead(await db.query<Row>(sql`with ${present} ${state}`)).position

/** Lists the changes after a position, newest first. Changes in the overlap are returned twice, with the same mark. */
export async function listChangesAfter(
  db: Database,
  { auditSeq, xid, atMs }: Position,
): Promise<ChangesRead> {
  const since = sql`timestamptz 'epoch' + ${atMs}::float8 * interval '1 millisecond' - ${overlap}`
  const rows = await db.query<Row>(sql`
    with ${present} ${state}
    union all (
      select 'audit', l.id::text, l.seq::text, null, null from audit_log l
      where l.seq > ${auditSeq}::bigint order by l.seq desc limit ${maxChanges})
    union all (
      select 'members', m.member_id, v.id, null, null
      from servers v cross join lateral (
        select member_id from memberships c
        where c.server_id = v.id and c.changed_xid >= ${`${xid}`}::xid8
          and c.changed_xid < (select horizon from present)
        limit ${maxChanges}) m
      where v.removed_at is null limit ${maxChanges})
    union all (
      select 'sync', v.id, concat_ws(' ', s.id, s.seen, s.changed, s.ended, iso(s.finished_at)), null, null
      from servers v cross join lateral (
        select * from member_syncs y where y.server_id = v.id order by y.started_at desc, y.id desc limit 1) s
      where greatest(s.started_at, s.beat_at, s.finished_at) > ${since} limit ${maxChanges})
    union all (
      select 'delivery', d.project_id::text, max(d.last_attempt_at)::text, null, null
      from deliveries d where d.last_attempt_at > ${since} and d.kind <> 'logout'
      group by d.project_id limit ${maxChanges})`)
  return toChangesRead(rows)
}

function toChangesRead(rows: readonly Row[]): ChangesRead {
  const now = rows.find(({ kind }) => kind === 'state')
  if (!now) throw new Error('The audit chain has no head.')
  const position = { auditSeq: Number(now.id), xid: BigInt(now.xid ?? 0), atMs: now.atMs ?? 0 }
  const changes = rows.flatMap(({ kind, id, mark }) => (kind === 'state' ? [] : [{ kind, id, mark }]))
  return { position, changes }
}
