import type { Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'

/** The retention periods in days, which admins can change. */
export interface Retention {
  readonly usageDays: number
  readonly authFailuresDays: number
  readonly submissionsDays: number
  readonly sessionAddressesDays: number
}

/** The maximum number of rows that a statement deletes, so that it does not delay requests. */
const batchSize = 1_000

/**
 * Builds the statements that delete a batch of expired rows, by their kind. Used codes and ended sessions are kept for
 * some time, so that a second use of a code or token is still recognized.
 */
const expired = (kept: Retention): Readonly<Record<string, Sql>> => ({
  auth_requests: sql`
    delete from auth_requests where id in (
      select id from auth_requests where expires_at < clock_now() - interval '1 minute' limit ${batchSize})`,
  // An unused code was never redeemed, so there is no second use to recognize.
  unused_codes: sql`
    delete from authorization_codes where digest in (
      select digest from authorization_codes
      where used_at is null and expires_at < clock_now() - interval '1 minute' limit ${batchSize})`,
  authorization_codes: sql`
    delete from authorization_codes where digest in (
      select digest from authorization_codes where expires_at < clock_now() - interval '1 day' limit ${batchSize})`,
  sso_sessions: sql`
    delete from sso_sessions where id in (
      select id from sso_sessions where expires_at < clock_now() limit ${batchSize})`,
  sessions: sql`
    delete from sessions where id in (
      select id from sessions where expires_at < clock_now() - interval '7 days' limit ${batchSize})`,
  // The sessions of OpenID Connect whose codes were never redeemed. No client has a token of them.
  unredeemed_sessions: sql`
    delete from sessions where id in (
      select s.id from sessions s join oidc_sessions o on o.session_id = s.id
      where s.expires_at < clock_now() - interval '1 hour' and s.expires_at <= s.created_at + interval '10 minutes'
      order by s.expires_at limit ${batchSize})`,
  inbound_signatures: sql`
    delete from inbound_signatures where (expires_at, mac, webhook_id) in (
      select expires_at, mac, webhook_id from inbound_signatures
      where expires_at < clock_now() - interval '1 minute' order by expires_at limit ${batchSize})`,
  inbound_idempotency_keys: sql`
    delete from inbound_idempotency_keys where (webhook_id, key) in (
      select webhook_id, key from inbound_idempotency_keys
      where received_at < clock_now() - interval '25 hours' order by received_at limit ${batchSize})`,
  // The submissions of deleted webhooks. The request that deletes a webhook leaves them, because there may be many.
  inbound_submissions: sql`
    delete from inbound_submissions where id in (
      select s.id from inbound_webhooks w join inbound_submissions s on s.webhook_id = w.id
      where w.deleted_at is not null limit ${batchSize})`,
  old_submissions: sql`
    delete from inbound_submissions where id in (
      select s.id from inbound_webhooks w cross join lateral (
        select o.id from inbound_submissions o
        where o.webhook_id = w.id and o.received_at < clock_now() - ${kept.submissionsDays}::int * interval '1 day'
        order by o.received_at limit ${batchSize}) s
      limit ${batchSize})`,
  // Events are kept for an hour longer than their IDs are valid.
  outbox: sql`
    delete from outbox where id in (
      select id from outbox where created_at < clock_now() - interval '25 hours'
      order by created_at limit ${batchSize})`,
  // Pending deliveries are not deleted. They are given up before they reach this age.
  deliveries: sql`
    delete from deliveries where id in (
      select o.id
      from (values ('event', interval '7 days'), ('notice', '30 days'), ('logout', '30 days')) k (kind, kept)
      cross join lateral (
        select d.id from deliveries d
        where d.kind = k.kind and d.created_at < clock_now() - k.kept
          and (d.delivered_at is not null or d.failed_at is not null)
        order by d.created_at limit ${batchSize}) o)`,
  // Events about erased members are deleted as soon as they were delivered or given up.
  erased_deliveries: sql`
    delete from deliveries where id in (
      select id from deliveries
      where is_erased and (delivered_at is not null or failed_at is not null) limit ${batchSize})`,
  usage_minutes: sql`
    delete from usage_minutes where (minute, project_id, route, status) in (
      select minute, project_id, route, status from usage_minutes
      where minute < clock_now() - ${kept.usageDays}::int * interval '1 day' order by minute limit ${batchSize})`,
  auth_failures: sql`
    delete from auth_failures where id in (
      select id from auth_failures where at < clock_now() - ${kept.authFailuresDays}::int * interval '1 day'
      order by at limit ${batchSize})`,
  member_role_changes: sql`
    delete from member_role_changes where (member_id, at, id) in (
      select member_id, at, id from member_role_changes
      where at < clock_now() - interval '30 days' order by at limit ${batchSize})`,
  // Expired records are kept for an hour, so that a device that still polls learns that its code has expired.
  oidc_records: sql`
    delete from oidc_records where digest in (
      select digest from oidc_records where expires_at < clock_now() - interval '1 hour'
      order by expires_at limit ${batchSize})`,
  // Used refresh tokens are kept for a week, so that a second use is recognized (RFC 9700 §4.14.2).
  used_refresh_tokens: sql`
    delete from oidc_records where digest in (
      select digest from oidc_records
      where model = 'RefreshToken' and consumed_at < clock_now() - interval '7 days'
      order by consumed_at limit ${batchSize})`,
  // A signing key is deleted when it was replaced longer ago than any token that it signed can be valid.
  oidc_signing_keys: sql`
    delete from oidc_signing_keys k where exists (
      select from oidc_signing_keys n
      where n.signs_from > k.signs_from and n.signs_from < clock_now() - interval '400 days')`,
  // The instances that were killed. Others delete their own rows when they stop.
  instances: sql`
    delete from instances where id in (
      select id from instances where last_seen_at < clock_now() - interval '1 day' limit ${batchSize})`,
})

/** Deletes one batch of each kind of expired rows. Returns the number of deleted rows. */
export async function deleteExpired(db: Queryable, kept: Retention): Promise<number> {
  let deleted = 0
  for (const statement of Object.values(expired(kept))) deleted += await db.execute(statement)
  return deleted
}

/**
 * Returns the oldest transaction in progress. All transactions before it have finished, so their changes are visible.
 */
export const currentHorizon = (db: Queryable) =>
  db.maybeOne<{ horizon: string }>(sql`select pg_snapshot_xmin(pg_current_snapshot())::text as horizon`)
