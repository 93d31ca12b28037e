import type { chatServers } from '@rolecall/contract'
import type { ChatMember } from '#chat/chat-platform'
import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { By } from '../../deps.ts'

/** A run that has not moved for so long has lost its process. Longer than any wait for the platform. */
const staleAfter = '1 minute'

/** Half of the age up to which the mirror is served: a membership seen again is confirmed this often. */
const confirmAfter = '12 hours'

type Found = { sync: chatServers.MemberSync }

/** Where a run is in the list of members. */
export interface SyncPlace {
  /** The last member that was read; null when all were. */
  after: string | null
  /** Members whom the list lacked, who were not asked about yet. */
  suspects: string[]
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
    where s.finished_at is null and s.beat_at < clock_now() - ${staleAfter}::interval and v.id = s.server_id
    returning s.id, s.server_id as "serverId", v.name as "serverName", s.started_by as by,
      s.after_id as after, s.suspects, s.seen, s.changed, s.ended`)

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
  { after, suspects }: SyncPlace,
) =>
  db.execute(sql`
    update member_syncs s set beat_at = clock_now(), seen = ${seen}, changed = ${changed}, ended = ${ended},
      after_id = ${after}, suspects = ${suspects}::text[]
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

/** Writes the profiles that differ and are not newer than the question. E-mails stay: lists do not tell them. */
export const upsertMembers = (tx: Tx, serverId: string, members: readonly ChatMember[], askedAt: Date) =>
  tx.execute(sql`
    insert into members as u (id, username, global_name, avatar, is_current, is_club_member, told_at)
    select x.*, true, v.is_main, ${askedAt}
    from unnest(${members.map(({ user }) => user.id)}::text[], ${members.map(({ user }) => user.username)}::text[],
      ${members.map(({ user }) => user.globalName)}::text[], ${members.map(({ user }) => user.avatar)}::text[])
      as x (id, username, global_name, avatar), servers v
    where v.id = ${serverId}
    on conflict (id) do update set
      username = excluded.username, global_name = excluded.global_name, avatar = excluded.avatar,
      told_at = excluded.told_at
    where u.told_at < ${askedAt} and (u.username, u.global_name, u.avatar) is distinct from
      (excluded.username, excluded.global_name, excluded.avatar)`)

/** Writes the memberships that are new, differ, or were not confirmed for long; never over a newer one. */
export const upsertMemberships = (tx: Tx, serverId: string, members: readonly ChatMember[], askedAt: Date) =>
  tx.execute(sql`
    insert into memberships as m (server_id, member_id, nick, role_ids, joined_at, pending, synced_at, search_text)
    select ${serverId}, x.member_id, x.nick, x.role_ids::text[], x.joined_at, x.pending, ${askedAt},
      (select u.search_text from members u where u.id = x.member_id)
    from unnest(${members.map(({ user }) => user.id)}::text[], ${members.map(({ nick }) => nick)}::text[],
      ${members.map(({ roleIds }) => `{${roleIds.join(',')}}`)}::text[],
      ${members.map(({ joinedAt }) => joinedAt?.toISOString() ?? null)}::timestamptz[],
      ${members.map(({ pending }) => pending)}::boolean[])
      as x (member_id, nick, role_ids, joined_at, pending)
    on conflict (server_id, member_id) do update set
      nick = excluded.nick, role_ids = excluded.role_ids, joined_at = excluded.joined_at,
      pending = excluded.pending, left_at = null, synced_at = excluded.synced_at
    where m.synced_at < ${askedAt} and (
      m.left_at is not null
      or (m.nick, m.role_ids, m.joined_at, m.pending) is distinct from
        (excluded.nick, excluded.role_ids, excluded.joined_at, excluded.pending)
      or m.synced_at < clock_now() - ${confirmAfter}::interval)`)

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

/** Current members in a stretch of ids whom the platform did not list in it. */
export const listUnlisted = (
  db: Queryable,
  { serverId, after, upTo, ids, askedAt }: Stretch,
  limit: number,
) =>
  db.query<{ id: string }>(sql`
    select m.member_id as id from memberships m
    where m.server_id = ${serverId} and m.left_at is null
      and (length(m.member_id), m.member_id) > (length(${after}::text), ${after}::text)
      and (${upTo ?? null}::text is null
        or (length(m.member_id), m.member_id) <= (length(${upTo ?? null}::text), ${upTo ?? null}::text))
      and m.member_id <> all(${ids}::text[]) and m.synced_at < ${askedAt}
    order by length(m.member_id), m.member_id
    limit ${limit}`)
