import type { Database, Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** A webhook as the path names it, among those of the calling project. */
export interface SubmitTarget {
  readonly projectId: string
  readonly idOrSlug: string
}

export interface FoundWebhook {
  readonly id: string
  readonly version: number
  readonly isActive: boolean
  readonly nowMs: number
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Finds webhooks for many requests at once, in the order of the targets. */
export async function findForSubmit(
  db: Database,
  targets: readonly SubmitTarget[],
): Promise<(FoundWebhook | undefined)[]> {
  const rows = await db.gathered(sql`
    select w.id, w.version, w.deactivated_at is null, (extract(epoch from clock_now()) * 1000)::float8
    from unnest(${targets.map(({ projectId }) => projectId)}::uuid[],
      ${targets.map(({ idOrSlug }) => (uuid.test(idOrSlug) ? idOrSlug : null))}::uuid[],
      ${targets.map(({ idOrSlug }) => idOrSlug)}::text[]) with ordinality as q (project_id, id, slug, n)
    left join lateral (
      select * from inbound_webhooks w where w.id = q.id and w.project_id = q.project_id and w.deleted_at is null
      union all
      select * from inbound_webhooks w
      where w.project_id = q.project_id and w.slug = q.slug and w.deleted_at is null
      limit 1) w on true
    order by q.n`)
  return (rows as [string | null, number, boolean, number][]).map(([id, version, isActive, nowMs]) =>
    id === null ? undefined : { id, version, isActive, nowMs },
  )
}

export const loadForSubmit = (db: Queryable, webhookId: string) =>
  db.maybeOne<{
    version: number
    schema: unknown
    acceptedOrigins: string[]
    requireSignature: boolean
    secretSealed: Uint8Array
  }>(sql`
    select version, schema, accepted_origins as "acceptedOrigins", require_signature as "requireSignature",
      secret_sealed as "secretSealed"
    from inbound_webhooks where id = ${webhookId} and deleted_at is null`)

/** A submission that passed every check but those that only the database can make. */
export interface NewSubmission {
  readonly id: string
  readonly webhookId: string
  readonly payload: string
  readonly origin: string | null
  readonly signature: { readonly mac: string; readonly expiresAtSec: number } | undefined
  /** False while replay protection pauses: the mark is made, and an older one does not refuse. */
  readonly refusesReplay: boolean
  readonly idempotency: { readonly key: string; readonly bodyDigest: string } | undefined
}

/** What became of a submission. */
export interface InsertedRow {
  /** False when the webhook was deleted or deactivated meanwhile. */
  readonly isOpen: boolean
  readonly storedAt: Date | null
  /** The first submission under the same idempotency key, within its time. */
  readonly firstId: string | null
  readonly firstAt: Date | null
  readonly isSameBody: boolean | null
  readonly isMarked: boolean
  /** True when the project's channel is to be told. */
  readonly isNotified: boolean
}

/**
 * Inserts many submissions with their marks, in one statement: a mark without its submission cannot be. No
 * two of the items have the same signature or the same idempotency key. Rows are written in the order of
 * their keys, so that two batches cannot wait for each other. A project that has a webhook address is told of
 * each, by a notification with the id of the submission. An item that lost a race for its idempotency
 * key is neither stored nor has a first: that one became visible only after this statement began.
 */
export const insertSubmissions = (db: Queryable, items: readonly NewSubmission[]) =>
  db.query<InsertedRow>(sql`
    with given as (
      select * from unnest(
        ${items.map(({ id }) => id)}::uuid[], ${items.map(({ webhookId }) => webhookId)}::uuid[],
        ${items.map(({ payload }) => payload)}::text[], ${items.map(({ origin }) => origin)}::text[],
        ${items.map(({ signature }) => signature?.mac ?? null)}::text[],
        ${items.map(({ signature }) => signature?.expiresAtSec ?? null)}::float8[],
        ${items.map(({ refusesReplay }) => refusesReplay)}::boolean[],
        ${items.map(({ idempotency }) => idempotency?.key ?? null)}::text[],
        ${items.map(({ idempotency }) => idempotency?.bodyDigest ?? null)}::text[]
      ) with ordinality as g (id, webhook_id, payload, origin, mac, expires, refuses_replay, key, digest, n)
    ), open as (
      select g.*, w.project_id, w.name, p.webhook_url_sealed is not null and p.deleted_at is null as is_told
      from given g join inbound_webhooks w on w.id = g.webhook_id join projects p on p.id = w.project_id
      where w.deleted_at is null and w.deactivated_at is null
    ), first as (
      select g.n, k.submission_id, k.received_at, k.body_digest = g.digest as is_same
      from open g join inbound_idempotency_keys k on k.webhook_id = g.webhook_id and k.key = g.key
      where k.received_at > clock_now() - interval '24 hours'
    ), marked as (
      insert into inbound_signatures (webhook_id, mac, expires_at)
      select g.webhook_id, g.mac, to_timestamp(g.expires) from open g
      where g.mac is not null and not exists (select from first f where f.n = g.n and not f.is_same)
      order by g.webhook_id, g.mac
      on conflict do nothing returning webhook_id, mac
    ), fresh as (
      select g.*, m.mac is not null as is_marked from open g
      left join marked m on m.webhook_id = g.webhook_id and m.mac = g.mac
      where not exists (select from first f where f.n = g.n)
        and (g.mac is null or m.mac is not null or not g.refuses_replay)
    ), claimed as (
      insert into inbound_idempotency_keys as k (webhook_id, key, body_digest, submission_id, received_at)
      select webhook_id, key, digest, id, clock_now() from fresh where key is not null
      order by webhook_id, key
      on conflict (webhook_id, key) do update set
        body_digest = excluded.body_digest, submission_id = excluded.submission_id, received_at = excluded.received_at
      where k.received_at <= clock_now() - interval '24 hours'
      returning submission_id
    ), stored as (
      insert into inbound_submissions (id, webhook_id, payload, is_signed, origin, received_at)
      select id, webhook_id, payload, mac is not null, origin, clock_now() from fresh
      where key is null or id in (select submission_id from claimed)
      returning id, webhook_id, received_at
    ), notified as (
      insert into notifications (id, project_id, type, text)
      select id, project_id, 'submission.received', format('Inbound webhook %s took submission %s.', name, id)
      from open where is_told and id in (select id from stored) order by n
    ), counted as (
      insert into inbound_submission_counts as c (webhook_id, part, count, last_at)
      select webhook_id, pg_backend_pid() % 32, count(*), max(received_at) from stored group by webhook_id
      order by webhook_id
      on conflict (webhook_id, part) do update set
        count = c.count + excluded.count, last_at = greatest(c.last_at, excluded.last_at)
    )
    select o.n is not null as "isOpen", s.received_at as "storedAt", f.submission_id as "firstId",
      f.received_at as "firstAt", f.is_same as "isSameBody",
      coalesce(m.mac is not null, false) as "isMarked", s.id is not null and o.is_told as "isNotified"
    from given g
    left join open o on o.n = g.n
    left join stored s on s.id = g.id
    left join first f on f.n = g.n
    left join marked m on m.webhook_id = g.webhook_id and m.mac = g.mac
    order by g.n`)

/** The first submission under an idempotency key, also one that a racing request has just stored. */
export const findFirst = (db: Queryable, webhookId: string, key: string) =>
  db.maybeOne<{ submissionId: string; receivedAt: Date; bodyDigest: string }>(sql`
    select submission_id as "submissionId", received_at as "receivedAt", body_digest as "bodyDigest"
    from inbound_idempotency_keys where webhook_id = ${webhookId} and key = ${key}`)

/** Takes a mark back: its submission was refused after all. */
export const dropMark = (db: Queryable, webhookId: string, mac: string) =>
  db.execute(sql`delete from inbound_signatures where webhook_id = ${webhookId} and mac = ${mac}`)
