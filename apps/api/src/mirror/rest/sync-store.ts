import type { chatServers } from '@rolecall/contract'
import type { By } from '#audit/event'
import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** A run that has not moved for so long has lost its process. Longer than any wait for the platform. */
const staleAfter = '1 minute'

type Found = { sync: chatServers.MemberSync }

/** Current members whom a whole page of the list lacked. */
export interface Unlisted {
  /** When that page was asked for: whoever was told of since is none of them. */
  readonly askedAt: string
  readonly ids: readonly string[]
  /** The list alone is not believed: the platform is asked about each. */
  readonly isDoubted: boolean
}

/** Where a run is in the list of members. */
export interface SyncPlace {
  /** The last member that was read; null when all were. */
  after: string | null
  /** Nothing has come of these yet. */
  unlisted: Unlisted[]
}

/** Begins a run unless one is under way: the unique index lets one at a time, on any instance. */
export const insertSync = (tx: Tx, run: { id: string; serverId: string; runner: string; by: By }) =>
  tx.maybeOne<Found>(sql`
    insert into member_syncs as s (id, server_id, runner, started_by)
    values (${run.id}, ${run.serverId}, ${run.runner}, ${JSON.stringify(run.by)}::jsonb)
    on conflict (server_id) where finished_at is null do nothing
    returning member_sync_json(s) as sync`)

export const findRunningSync = (tx: Tx, serverId: string) =>
  tx.maybeOne<Found>(sql`
    select member_sync_json(s) as sync from member_syncs s
    where s.server_id = ${serverId} and s.finished_at is null`)

/** A run that was left by its process. */
export interface LeftSync extends SyncCounts, SyncPlace {
  readonly id: string
  readonly serverId: string
  readonly serverName: string
  readonly by: By
}

/** Takes over the runs whose process is gone; each goes to one instance. */
export const takeOverSyncs = (db: Queryable, runner: string) =>
  db.query<LeftSync>(sql`
    update member_syncs s set runner = ${runner}, beat_at = clock_now()
    from servers v
    where s.finished_at is null and s.beat_at <= clock_now() - ${staleAfter}::interval and v.id = s.server_id
    returning s.id, s.server_id as "serverId", v.name as "serverName", s.started_by as by,
      s.after_id as after, s.unlisted, s.seen, s.changed, s.ended`)

export interface SyncCounts {
  seen: number
  changed: number
  ended: number
}

export interface OwnSync {
  readonly id: string
  readonly runner: string
}

/** Says that a run goes on, and where it is. Returns 0 when it must not: another has it, or its server was removed. */
export const beatSync = (
  db: Queryable,
  { id, runner }: OwnSync,
  { seen, changed, ended }: SyncCounts,
  { after, unlisted }: SyncPlace,
) =>
  db.execute(sql`
    update member_syncs s set beat_at = clock_now(), seen = ${seen}, changed = ${changed}, ended = ${ended},
      after_id = ${after}, unlisted = ${JSON.stringify(unlisted)}::jsonb
    from servers v
    where s.id = ${id} and s.runner = ${runner} and s.finished_at is null
      and v.id = s.server_id and v.removed_at is null`)

/** Leaves a run to whichever instance looks for one next. */
export const leaveSync = (db: Queryable, { id, runner }: OwnSync) =>
  db.execute(sql`
    update member_syncs set beat_at = clock_now() - ${staleAfter}::interval
    where id = ${id} and runner = ${runner} and finished_at is null`)

/** Ends a run once; undefined when somebody else did. */
export const finishSync = (tx: Tx, { id, runner }: OwnSync, counts: SyncCounts, problem: string | null) =>
  tx.maybeOne<{ seconds: number }>(sql`
    update member_syncs set finished_at = clock_now(), problem = ${problem},
      seen = ${counts.seen}, changed = ${counts.changed}, ended = ${counts.ended}
    where id = ${id} and runner = ${runner} and finished_at is null
    returning extract(epoch from clock_now() - started_at)::float8 as seconds`)

export interface Stretch {
  readonly serverId: string
  /** Ids above this one; compared as numbers, as the platform does. */
  readonly after: string
  /** Up to this one; undefined is the end. */
  readonly upTo: string | undefined
  /** What the platform listed there, asked at this time. */
  readonly ids: readonly string[]
  readonly askedAt: Date
}

/** Lists that are asked for so soon after somebody joined may not show them yet. */
const listedAfter = '15 seconds'

/** Current members in a stretch of ids whom the platform did not list in it, and whether they had only just joined. */
export const listUnlisted = (
  db: Queryable,
  { serverId, after, upTo, ids, askedAt }: Stretch,
  limit: number,
) =>
  db.query<{ id: string; isNew: boolean }>(sql`
    select m.member_id as id,
      coalesce(m.joined_at > ${askedAt}::timestamptz - ${listedAfter}::interval, false) as "isNew"
    from memberships m
    where m.server_id = ${serverId} and m.left_at is null
      and (length(m.member_id), m.member_id) > (length(${after}::text), ${after}::text)
      and (${upTo ?? null}::text is null
        or (length(m.member_id), m.member_id) <= (length(${upTo ?? null}::text), ${upTo ?? null}::text))
      and m.member_id <> all(${ids}::text[]) and m.synced_at < ${askedAt}
    order by length(m.member_id), m.member_id
    limit ${limit}`)
