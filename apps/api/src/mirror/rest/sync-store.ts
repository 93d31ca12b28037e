import type { chatServers } from '@rolecall/contract'
import type { By } from '#audit/event'
import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** The age of the last heartbeat at which a run counts as abandoned. It is longer than any wait for the platform. */
const staleAfter = '1 minute'

type Found = { sync: chatServers.MemberSync }

/** The current members that a whole page of the list lacked. */
export interface Unlisted {
  /** The time at which the page was requested. Memberships with later events do not end. */
  readonly askedAt: string
  readonly ids: readonly string[]
  /** True if the list is not trusted, so that each member is checked at the platform. */
  readonly isDoubted: boolean
}

/** The place of a run in the list of members. */
export interface SyncPlace {
  /** The last member that was read, or null if all were read. */
  after: string | null
  /** Members that are not decided yet. */
  unlisted: Unlisted[]
}

/** Inserts a run unless one is in progress. A unique index admits one run per server, on any instance. */
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

/** A run of a dead process. */
export interface AbandonedSync extends SyncCounts, SyncPlace {
  readonly id: string
  readonly serverId: string
  readonly serverName: string
  readonly by: By
}

/** Takes over the runs of dead processes. Each goes to one instance. */
export const takeOverSyncs = (db: Queryable, runner: string) =>
  db.query<AbandonedSync>(sql`
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

/**
 * Records a heartbeat and the place of a run. Returns 0 if the run must stop, because another instance has it or its
 * server was removed.
 */
export const storeProgress = (
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

/** Releases a run to the next instance. */
export const releaseSync = (db: Queryable, { id, runner }: OwnSync) =>
  db.execute(sql`
    update member_syncs set beat_at = clock_now() - ${staleAfter}::interval
    where id = ${id} and runner = ${runner} and finished_at is null`)

/** Ends a run. Returns undefined if another instance has ended it. */
export const finishSync = (tx: Tx, { id, runner }: OwnSync, counts: SyncCounts, problem: string | null) =>
  tx.maybeOne<{ seconds: number }>(sql`
    update member_syncs set finished_at = clock_now(), problem = ${problem},
      seen = ${counts.seen}, changed = ${counts.changed}, ended = ${counts.ended}
    where id = ${id} and runner = ${runner} and finished_at is null
    returning extract(epoch from clock_now() - started_at)::float8 as seconds`)

export interface Stretch {
  readonly serverId: string
  /** The stretch contains the IDs above this one, compared as numbers. */
  readonly after: string
  /** The last ID of the stretch. If undefined, the stretch has no end. */
  readonly upTo: string | undefined
  /** The IDs that the platform listed in the stretch, requested at this time. */
  readonly ids: readonly string[]
  readonly askedAt: Date
}

/** The time after joining in which a list of the platform may not contain the member yet. */
const listedAfter = '15 seconds'

/**
 * Returns the current members in a stretch of IDs that the platform did not list, and whether each had only just
 * joined.
 */
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
