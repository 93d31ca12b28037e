import type { Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'

/** A project with at least this many failed sign-ins within an hour has a problem. */
const minSignInFailures = 5
/**
 * The minimum number of IP addresses from which the failed sign-ins must come, because a single stranger can invent any
 * number of them. Failures of the exchange need no such minimum, because it requires the project's key.
 */
const minSignInAddresses = 3
/** A key that was rejected at least this many times within an hour is a problem. */
const minKeyFailures = 20
/** A receiver counts as failing after this many failed attempts in a row. A restart of the receiver causes fewer. */
const minFailures = 3

/** The codes of problems that the database alone shows. */
export type FoundCode =
  | 'SYNC_FAILED'
  | 'EVENTS_SWITCHED_OFF'
  | 'EVENTS_FAILING'
  | 'NOTICES_SWITCHED_OFF'
  | 'NOTICES_FAILING'
  | 'CLIENT_LOGOUTS_FAILING'
  | 'SIGN_INS_FAILING'
  | 'CREDENTIALS_REJECTED'
  | 'KEY_ENDING'

/** A problem that needs an administrator, found in the database. */
export interface Finding {
  readonly code: FoundCode
  /** The ID of a project or, for `SYNC_FAILED`, of a server. */
  readonly id: string
  readonly name: string
  readonly since: string | null
  /** The number in the sentence about the problem. */
  readonly count: number | null
  /** The key, the reason, or the error in the sentence. */
  readonly word: string | null
  /** The time in the sentence. */
  readonly until: string | null
}

/** The queries for each code. Each selects `id`, `name`, `since`, `count`, `word`, and `until`, in this order. */
const findings: Readonly<Record<FoundCode, Sql>> = {
  SYNC_FAILED: sql`
    select v.id, v.name, iso(y.finished_at), null::bigint, y.problem, null
    from servers v cross join lateral (
      select * from member_syncs s where s.server_id = v.id order by s.started_at desc, s.id desc limit 1) y
    where v.removed_at is null and y.problem is not null`,
  EVENTS_SWITCHED_OFF: sql`
    select p.id::text, p.name, iso(e.disabled_at), null::bigint, null, null
    from event_endpoints e join projects p on p.id = e.project_id and p.deleted_at is null
    where e.disabled_at is not null and e.url is not null`,
  EVENTS_FAILING: sql`
    select p.id::text, p.name, iso(r.failing_since), r.failures::bigint, null, null
    from receivers r join event_endpoints e on e.project_id = r.project_id
    join projects p on p.id = r.project_id and p.deleted_at is null
    where r.kind = 'event' and r.failures >= ${minFailures} and e.disabled_at is null and e.url is not null`,
  NOTICES_SWITCHED_OFF: sql`
    select p.id::text, p.name, iso(n.failed_at), null::bigint, n.last_error, null
    from projects p cross join lateral (
      select * from deliveries f where f.kind = 'notice' and f.project_id = p.id and f.failed_at is not null
      order by f.xid desc, f.created_at desc, f.place desc limit 1) n
    where p.deleted_at is null and p.webhook_url_sealed is null and n.last_status in (401, 404)
      and n.failed_at > clock_now() - interval '7 days'`,
  NOTICES_FAILING: sql`
    select p.id::text, p.name, iso(r.failing_since), r.failures::bigint, null, null
    from receivers r join projects p on p.id = r.project_id and p.deleted_at is null
    where r.kind = 'notice' and r.failures >= ${minFailures} and p.webhook_url_sealed is not null`,
  CLIENT_LOGOUTS_FAILING: sql`
    select p.id::text, p.name, iso(min(l.created_at)), count(*), max(l.last_error), null
    from deliveries l join projects p on p.id = l.project_id and p.deleted_at is null
    where l.kind = 'logout' and l.delivered_at is null and l.failed_at is null and l.attempts >= ${minFailures}
    group by p.id, p.name`,
  SIGN_INS_FAILING: sql`
    select p.id::text, p.name, iso(f.since), f.failures, f.reason, null
    from (
      select project_id, min(at) as since, count(*) as failures, mode() within group (order by reason) as reason
      from auth_failures
      where at > clock_now() - interval '1 hour' and project_id is not null
        and reason not in ('not_a_member', 'blocked')
        and path in ('/api/auth/authorize', '/api/auth/sso/authorize', '/api/auth/callback', '/api/auth/token')
      group by project_id
      having count(distinct address) >= ${minSignInAddresses}
        or count(*) filter (where path = '/api/auth/token') >= ${minSignInFailures}) f
    join projects p on p.id = f.project_id and p.deleted_at is null
    where f.failures >= ${minSignInFailures} and f.failures > (
      select coalesce(sum(u.count), 0) from usage_minutes u
      where u.minute > clock_now() - interval '1 hour' and u.project_id = f.project_id
        and u.route = 'POST /api/auth/token' and u.status = 200)`,
  CREDENTIALS_REJECTED: sql`
    select p.id::text, p.name, iso(f.since), f.failures, f.key_prefix, null
    from (
      select key_prefix, min(at) as since, count(*) as failures from auth_failures
      where at > clock_now() - interval '1 hour' and kind = 'api_key' and key_prefix is not null
      group by key_prefix having count(*) >= ${minKeyFailures}) f
    join api_keys k on k.prefix = f.key_prefix join projects p on p.id = k.project_id and p.deleted_at is null`,
  KEY_ENDING: sql`
    select p.id::text, p.name, iso(coalesce(k.replaced_at, k.created_at)), (k.uses - k.uses_before)::bigint, k.prefix,
      iso(k.expires_at)
    from working_keys w join api_keys k on k.id = w.id join projects p on p.id = k.project_id and p.deleted_at is null
    where k.expires_at < clock_now() + interval '7 days'
      and k.last_used_at > greatest(coalesce(k.replaced_at, k.created_at), clock_now() - interval '1 day')`,
}

/** The maximum number of findings per code. */
const most = 100

/** Lists the findings of all codes, with one statement. */
export const listFindings = (db: Queryable) =>
  db.query<Finding>(
    Object.entries(findings)
      .map(
        ([code, found]) => sql`
          (select ${code}::text as code, f.id, f.name, f.since, f.count, f.word, f.until
          from (${found}) f (id, name, since, count, word, until) order by f.since, f.id limit ${most})`,
      )
      .reduce((above, below) => sql`${above} union all ${below}`),
  )

/** Returns true if an active project protects at least one host by forward auth. */
export const protectsHosts = async (db: Queryable): Promise<boolean> =>
  (await db.maybeOne(sql`
    select 1 as one from forward_auth_hosts h join projects p on p.id = h.project_id
    where p.deleted_at is null and p.deactivated_at is null limit 1`)) !== undefined
