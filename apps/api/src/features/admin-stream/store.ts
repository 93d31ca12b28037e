import type { Database } from '#platform/db/database'
import { ownHorizon } from '#platform/db/own-horizon'
import { sql } from '#platform/db/sql'

/** The position of a reader. It has all changes up to the values of each field. */
export interface Position {
  /** The number of the last entry of the audit log. */
  readonly auditSeq: number
  /** The transaction before which all changes of memberships have been read. */
  readonly xid: bigint
  /** The time, by the database's clock, up to which syncs and deliveries have been read. */
  readonly atMs: number
}

/** A change that the console shows. */
export interface Change {
  readonly kind: 'audit' | 'members' | 'sync' | 'delivery'
  /** The ID of the audit entry, the member, the server of the sync, or the project of the delivery. */
  readonly id: string
  /** For members, the server ID. For other kinds, a value that differs after each change. */
  readonly mark: string
}

interface ChangesRead {
  readonly position: Position
  readonly changes: readonly Change[]
}

/** The number of rows of each kind to read. It is one more than an event names, which shows whether there are more. */
export const maxChanges = 51
/** The overlap of two reads. A row can be committed some time after its timestamp, so each read goes back this far. */
const overlap = sql`interval '10 seconds'`

/** A row of the result. The row `state` is no change: it contains the position after the read. */
interface Row extends Omit<Change, 'kind'> {
  readonly kind: Change['kind'] | 'state'
  readonly xid: string | null
  readonly atMs: number | null
}

const state = sql`
  select 'state' as kind, h.seq::text as id, '' as mark, p.horizon::text as xid,
    floor(extract(epoch from clock_now()) * 1000)::float8 as "atMs"
  from audit_head h, present p`

/** Selects the horizon. All transactions before it have finished, so their changes are visible. */
const present = sql`present as materialized (select ${ownHorizon} as horizon from pg_current_snapshot() s)`

/** Returns the current position, for a reader that needs no earlier changes. */
export const readPresent = async (db: Database): Promise<Position> =>
  toChangesRead(await db.query<Row>(sql`with ${present} ${state}`)).position

/**
 * Lists the changes after a position, at most `maxChanges` of each kind. Changes of syncs and deliveries within the
 * overlap are returned again, with the same mark.
 */
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
