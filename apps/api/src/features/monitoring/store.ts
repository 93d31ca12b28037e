import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

export interface UsageCount {
  readonly minute: string
  readonly projectId: string
  readonly route: string
  readonly status: number
  count: number
}

export const addUsage = (db: Queryable, counts: readonly UsageCount[]) =>
  db.execute(sql`
    insert into usage_minutes as u (minute, project_id, route, status, count)
    select * from unnest(${counts.map(({ minute }) => minute)}::timestamptz[],
      ${counts.map(({ projectId }) => projectId)}::uuid[], ${counts.map(({ route }) => route)}::text[],
      ${counts.map(({ status }) => status)}::smallint[], ${counts.map(({ count }) => count)}::bigint[])
    on conflict (minute, project_id, route, status) do update set count = u.count + excluded.count`)

/** Notes that projects used their keys, to the minute. */
export const touchKeys = (db: Queryable, projectIds: readonly string[]) =>
  db.execute(sql`
    update api_keys set last_used_at = clock_now()
    where project_id = any(${projectIds}::uuid[]) and replaced_at is null and revoked_at is null
      and (last_used_at is null or last_used_at < clock_now() - interval '1 minute')`)

export type FailureKind = 'api_key' | 'session' | 'refresh' | 'code' | 'signature' | 'admin'

export interface AuthFailure {
  readonly id: string
  readonly at: string
  readonly kind: FailureKind
  /** A word of a closed list. */
  readonly reason: string
  readonly address: string
  /** Without query: that may hold secrets. */
  readonly path: string
  readonly projectId: string | null
  readonly keyPrefix: string | null
  readonly requestId: string
}

export const insertAuthFailures = (db: Queryable, failures: readonly AuthFailure[]) =>
  db.execute(sql`
    insert into auth_failures (id, at, kind, reason, address, path, project_id, key_prefix, request_id)
    select * from unnest(${failures.map(({ id }) => id)}::uuid[], ${failures.map(({ at }) => at)}::timestamptz[],
      ${failures.map(({ kind }) => kind)}::text[], ${failures.map(({ reason }) => reason)}::text[],
      ${failures.map(({ address }) => address)}::text[], ${failures.map(({ path }) => path)}::text[],
      ${failures.map(({ projectId }) => projectId)}::uuid[], ${failures.map(({ keyPrefix }) => keyPrefix)}::text[],
      ${failures.map(({ requestId }) => requestId)}::text[])
    on conflict (id) do nothing`)
