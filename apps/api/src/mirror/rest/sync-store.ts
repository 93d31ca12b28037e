import type { chatServers } from '@rolecall/contract'
import type { By } from '#audit/event'
import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** A sync whose last heartbeat is older than this is abandoned. It is longer than any wait for Discord. */
const staleAfter = '1 minute'

type Found = { sync: chatServers.MemberSync }

/** The current members that are missing in one page of the list. Stored as JSON, so the field names must not change. */
export interface Unlisted {
  /** The time of the request for the page. A membership with a later event is not ended. */
  readonly askedAt: string
  readonly ids: readonly string[]
  /** True if the list is not trusted, so that each of these members is requested from Discord. */
  readonly isDoubted: boolean
}

/** The place that a sync has reached in the list of members. */
export interface SyncPlace {
  /** The last member that was read. Null if all were read. */
  after: string | null
  /** The missing members for whom it is not decided yet whether they left. */
  unlisted: Unlisted[]
}

/** Inserts a sync, unless one is in progress. A unique index permits only one per server, on any instance. */
export const insertSync = (tx: Tx, run: { id: string; serverId: string; runner: string; by: By }) =>
  tx.maybeOne<Found>(sql`
    insert into member_syncs as s (id, server_id, runner, started_by)
    values (${run.id}, ${run.serverId}, ${run.runner}, ${JSON.stringify(run.by)}::jsonb)
    on conflict (server_id) where finished_at is null do nothing
    returning member_sync_json(s) as sync`)

/** Returns the sync of a server that is in progress. */
export const findRunningSync = (tx: Tx, serverId: string) =>
  tx.maybeOne<Found>(sql`
    select member_sync_json(s) as sync from member_syncs s
    where s.server_id = ${serverId} and s.finished_at is null`)

/** A sync whose process has ended. */
export interface AbandonedSync extends SyncCounts, SyncPlace {
  readonly id: string
  readonly serverId: string
  readonly serverName: string
  readonly by: By
}

/** Takes over the syncs of processes that have ended. Each goes to one instance only. */
export const takeOverSyncs = (db: Queryable, runner: string) =>
  db.query<AbandonedSync>(sql`
    update member_syncs s set runner = ${runner}, beat_at = clock_now()
    from servers v
    where s.finished_at is null and s.beat_at <= clock_now() - ${staleAfter}::interval and v.id = s.server_id
    returning s.id, s.server_id as "serverId", v.name as "serverName", s.started_by as by,
      s.after_id as after, s.unlisted, s.seen, s.changed, s.ended`)

/** The number of members that were read, of those that were written, and of memberships that were ended. */
export interface SyncCounts {
  seen: number
  changed: number
  ended: number
}

/** A sync, and the process that runs it. */
export interface OwnSync {
  readonly id: string
  readonly runner: string
}

/**
 * Records a heartbeat and the progress. Returns 0 if the sync must stop, because another instance has taken it over or
 * the server was removed.
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

/** Gives up a sync, so that another instance can continue it immediately. */
export const releaseSync = (db: Queryable, { id, runner }: OwnSync) =>
  db.execute(sql`
    update member_syncs set beat_at = clock_now() - ${staleAfter}::interval
    where id = ${id} and runner = ${runner} and finished_at is null`)

/** Ends a sync. Returns undefined if another instance has taken it over or ended it. */
export const finishSync = (tx: Tx, { id, runner }: OwnSync, counts: SyncCounts, problem: string | null) =>
  tx.maybeOne<{ seconds: number }>(sql`
    update member_syncs set finished_at = clock_now(), problem = ${problem},
      seen = ${counts.seen}, changed = ${counts.changed}, ended = ${counts.ended}
    where id = ${id} and runner = ${runner} and finished_at is null
    returning extract(epoch from clock_now() - started_at)::float8 as seconds`)

/** A range of member IDs, compared as numbers, and what Discord listed in it. */
export interface Stretch {
  readonly serverId: string
  /** The range begins after this ID. */
  readonly after: string
  /** The last ID of the range. Undefined if the range has no end. */
  readonly upTo: string | undefined
  /** The IDs that Discord listed in the range, in the response to a request at `askedAt`. */
  readonly ids: readonly string[]
  readonly askedAt: Date
}

/** For this time after a member has joined, a list of Discord may not contain the member yet. */
const listedAfter = '15 seconds'

/** Returns the current members in a range that Discord did not list, and whether each had only just joined. */
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
