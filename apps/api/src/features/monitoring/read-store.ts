import type { monitoring } from '@rolecall/contract'
import type { Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import type { FailureKind } from './store.ts'

/** The period and the filters of a query for usage. A null filter matches everything. */
export interface UsageQuery {
  readonly from: string | null
  readonly to: string | null
  readonly projectId: string | null
  readonly routes: readonly string[] | null
  /** The first digit of the status. */
  readonly statusClass: number | null
}

interface UsageRow {
  readonly minute: Date
  readonly projectId: string
  readonly route: string
  readonly status: number
  readonly count: number
}

/** Matches the rows of a period. By default, the period ends now and has one hour. */
export const inPeriod = ({ from, to, projectId, routes, statusClass }: UsageQuery) => sql`
  minute <= coalesce(${to}::timestamptz, clock_now())
  and minute >= date_trunc('minute', coalesce(${from}::timestamptz,
    coalesce(${to}::timestamptz, clock_now()) - interval '1 hour'))
  and (${projectId}::uuid is null or project_id = ${projectId}::uuid)
  and (${routes}::text[] is null or route = any(${routes}::text[]))
  and (${statusClass}::int is null or status / 100 = ${statusClass}::int)`

/** Lists a page of the usage: one row for each minute, project, route, and status. Newest minute first. */
export const listUsage = (db: Queryable, request: UsageQuery, limit: number, offset: number) =>
  db.query<UsageRow>(sql`
    select minute, project_id as "projectId", route, status, count from usage_minutes
    where ${inPeriod(request)}
    order by minute desc, project_id, route, status limit ${limit} offset ${offset}`)

/** Counts the rows of the period, up to 100,000, so that the count stays fast. */
export async function countUsageRows(db: Queryable, request: UsageQuery): Promise<number> {
  const row = await db.maybeOne<{ n: number }>(sql`
    select count(*) as n from (select from usage_minutes where ${inPeriod(request)} limit 100000) counted`)
  return row?.n ?? 0
}

interface AuthFailureRow {
  readonly id: string
  readonly at: Date
  readonly kind: FailureKind
  readonly reason: string
  readonly address: string | null
  readonly path: string
  readonly projectId: string | null
  readonly keyPrefix: string | null
  readonly memberId: string | null
  readonly memberName: string | null
  readonly requestId: string | null
}

/** Lists a page of the recorded failures, newest first. `memberName` is null if the member is unknown or erased. */
export const listAuthFailures = (db: Queryable, condition: Sql, limit: number, offset: number) =>
  db.query<AuthFailureRow>(sql`
    select id, at, kind, reason, address, path, project_id as "projectId", key_prefix as "keyPrefix",
      member_id as "memberId", request_id as "requestId",
      (select coalesce(m.global_name, m.username) from members m where m.id = auth_failures.member_id) as "memberName"
    from auth_failures where ${condition} order by at desc, id desc limit ${limit} offset ${offset}`)

export async function countAuthFailures(db: Queryable, condition: Sql): Promise<number> {
  const row = await db.maybeOne<{ n: number }>(
    sql`select count(*) as n from auth_failures where ${condition}`,
  )
  return row?.n ?? 0
}

type Counted = Omit<monitoring.Stats, 'asOf' | 'memberActivityThresholdDays'> & { readonly asOf: Date }

/** Counts members, sessions, and projects with one statement. Active members were seen within `activeWithinDays`. */
export const countAll = (db: Queryable, activeWithinDays: number) =>
  db.maybeOne<Counted>(sql`
    select
      (select count(*) from members where is_current) as "members",
      (select count(*) from member_activity a join members u on u.id = a.member_id and u.is_current
        where a.seen_at >= clock_now() - ${activeWithinDays}::int * interval '1 day') as "activeMembers",
      (select count(*) from sessions where revoked_at is null and expires_at > clock_now()) as "sessions",
      (select count(*) from projects where deleted_at is null) as "projects",
      (select count(*) from projects where deleted_at is null and deactivated_at is null) as "activeProjects",
      clock_now() as "asOf"`)

interface ReplacedKeyRow {
  readonly projectId: string
  readonly projectName: string
  readonly keyId: string
  readonly prefix: string
  readonly note: string | null
  readonly replacedAt: Date
  readonly endsAt: Date | null
  readonly usesSinceReplaced: number
  readonly lastUsedAt: Date | null
}

/** Lists replaced API keys that are still valid and were used or replaced within the last hour. */
export const listReplacedKeys = (db: Queryable) =>
  db.query<ReplacedKeyRow>(sql`
    select p.id as "projectId", p.name as "projectName", k.id as "keyId", k.prefix, k.note,
      k.replaced_at as "replacedAt", k.expires_at as "endsAt", k.uses - k.uses_before as "usesSinceReplaced",
      k.last_used_at as "lastUsedAt"
    from working_keys w join api_keys k on k.id = w.id
      join projects p on p.id = k.project_id and p.deleted_at is null
    where k.successor_id is not null
      and greatest(k.replaced_at, k.last_used_at) > clock_now() - interval '1 hour'
    order by k.expires_at, k.id limit 1000`)
