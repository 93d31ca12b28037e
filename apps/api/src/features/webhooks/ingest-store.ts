import type { Database, Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import { type Signature, toleranceSec } from './signature.ts'

/** A webhook as the path of a request names it: by ID or slug, among the webhooks of the calling project. */
export interface WebhookName {
  readonly projectId: string
  readonly idOrSlug: string
}

/** A webhook, as far as each submission needs it. */
export interface FoundWebhook {
  readonly id: string
  /** The number of the webhook's last change. It shows whether a cached target is current. */
  readonly version: number
  readonly isActive: boolean
  /** The time of the database's clock at the read. */
  readonly nowMs: number
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Finds the webhooks of many requests at once, in the order of `names`. Each is undefined if the project has no such
 * webhook. An ID takes precedence over a slug.
 */
export async function findForSubmit(
  db: Database,
  names: readonly WebhookName[],
): Promise<(FoundWebhook | undefined)[]> {
  const rows = await db.batched<Omit<FoundWebhook, 'id'> & { id: string | null }>(sql`
    select w.id, w.version, w.deactivated_at is null as "isActive",
      (extract(epoch from clock_now()) * 1000)::float8 as "nowMs"
    from unnest(${names.map(({ projectId }) => projectId)}::uuid[],
      ${names.map(({ idOrSlug }) => (uuid.test(idOrSlug) ? idOrSlug : null))}::uuid[],
      ${names.map(({ idOrSlug }) => idOrSlug)}::text[]) with ordinality as q (project_id, id, slug, n)
    left join lateral (
      select * from inbound_webhooks w where w.id = q.id and w.project_id = q.project_id and w.deleted_at is null
      union all
      select * from inbound_webhooks w
      where w.project_id = q.project_id and w.slug = q.slug and w.deleted_at is null
      limit 1) w on true
    order by q.n`)
  return rows.map(({ id, ...row }) => (id === null ? undefined : { id, ...row }))
}

/** Reads the values that submissions to a webhook are checked against, or undefined if it was deleted. */
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

/**
 * The key and the webhook's version that a submission was checked against. Both must still be valid when it is stored.
 */
export interface HeldAgainst {
  readonly keyDigest: string
  readonly webhookId: string
  readonly version: number
}

/** A submission that passed all checks except those that only the database can make. */
export interface NewSubmission {
  readonly id: string
  readonly target: HeldAgainst
  /** The body as sent, which is valid JSON in UTF-8. */
  readonly payload: Buffer
  readonly origin: string | null
  readonly signature: Signature | undefined
  readonly idempotency: { readonly key: string; readonly bodyDigest: string } | undefined
}

/** A row of the result: one for each item that was not stored, and one with `n` 0, which contains only the time. */
interface InsertedRow {
  /** The position of the item in the batch, from 1. */
  readonly n: number
  /** The time of the statement. */
  readonly atMs: number
  /** True if the key, the webhook's version, and the time of the signature are still valid. */
  readonly isCurrent: boolean
  /**
   * The ID of the first submission with the same idempotency key within 24 hours. This field and the next three are set
   * only if the batch has idempotency keys.
   */
  readonly firstId?: string | null
  readonly firstAtMs?: number | null
  /** True if the first submission has the same body. */
  readonly isSameBody?: boolean | null
  /** True if the statement wrote the mark of this item's signature, so that the signature was new. */
  readonly isMarked?: boolean
}

/** The reason why an item was not stored. */
export type NotStored = Omit<InsertedRow, 'n' | 'atMs'>

/** The result of a batch. */
export interface Inserted {
  readonly atMs: number
  /** The reasons by index in the batch. A submission without an entry was stored. */
  readonly notStored: ReadonlyMap<number, NotStored>
}

/**
 * Inserts many submissions in one statement, with a mark for each signature and each idempotency key. The marks
 * identify later repetitions. The statement also checks the target again. So it stores no submission under a key
 * that has been revoked, or to a webhook that has changed since the checks. The items must have different signatures
 * and different idempotency keys. The steps of the statement:
 *
 * - `target`: the webhooks that accept submissions now, each with the key and in the version that was checked.
 * - `current`: the items for these webhooks, if their signature is neither too old nor in the future.
 * - `keyed`, `earlier` (`withKeys`): the items with an idempotency key, and earlier submissions with the same key.
 * - `marked`: the new signatures. An item whose signature exists already is a replay.
 * - `accepted`: the items that are neither a replay nor a repetition.
 * - `claimed` (`withKeys`): the idempotency keys that now belong to these items.
 * - `stored`: the submissions.
 * - `notified`: a queued notice for each submission, if the project has an address for notices.
 * - `counted`: the number of submissions of each webhook, increased.
 *
 * Rows are written in the order of their keys, so that two batches cannot deadlock. `in` with a subquery makes
 * PostgreSQL use a hash: a batch of hundreds must not be joined row by row.
 *
 * An item may lose its idempotency key to a concurrent submission that this statement does not see. The item is then
 * not stored, and `firstId` is null. `findFirst` finds the other submission.
 *
 * If `refusesReplay` is false, signatures are still marked, but a mark does not cause a rejection.
 */
export async function insertSubmissions(
  { query }: Pick<Queryable, 'query'>,
  items: readonly NewSubmission[],
  refusesReplay: boolean,
): Promise<Inserted> {
  const targets = [...new Set(items.map(({ target }) => target))]
  const places = new Map(targets.map((target, i) => [target, i + 1]))
  // All payloads are sent as one value, which the database splits. Text in arrays would have to be escaped and parsed.
  const bytes = Buffer.concat(items.map(({ payload }) => payload))
  const lengths = items.map(({ payload }) => payload.length)
  let end = 0
  const starts = lengths.map((length) => {
    const start = end + 1
    end += length
    return start
  })
  const parts = items.some(({ idempotency }) => idempotency) ? withKeys(items) : withoutKeys
  const rows = await query<InsertedRow>(sql`
    with clock as (select clock_now() as at),
    target as (
      select q.n, w.id as webhook_id, w.project_id, w.name, p.webhook_url_sealed is not null as is_told
      from unnest(${targets.map(({ keyDigest }) => keyDigest)}::text[],
        ${targets.map(({ webhookId }) => webhookId)}::uuid[],
        ${targets.map(({ version }) => version)}::int[]) with ordinality as q (key_digest, webhook_id, version, n)
      join inbound_webhooks w on w.id = q.webhook_id and w.version = q.version
      join working_keys k on k.digest = q.key_digest and k.project_id = w.project_id
      join projects p on p.id = w.project_id
      where w.deleted_at is null and w.deactivated_at is null
        and p.deleted_at is null and p.deactivated_at is null
    ), current as (
      select g.n, g.id, t.n as target, t.webhook_id, to_timestamp(g.time + ${toleranceSec + 1}) as expires_at, g.mac,
        g.start, g.length, g.origin
      from unnest(${arrayOf(items.map(({ target }) => places.get(target)))}::int[],
        ${arrayOf(items.map(({ id }) => id))}::uuid[],
        ${arrayOf(items.map(({ signature }) => signature?.timeSec))}::float8[],
        ${arrayOf(items.map(({ signature }) => signature?.mac))}::uuid[],
        ${arrayOf(starts)}::int[], ${arrayOf(lengths)}::int[], ${items.map(({ origin }) => origin)}::text[]
      ) with ordinality as g (target, id, time, mac, start, length, origin, n)
      join target t on t.n = g.target, clock
      where g.mac is null or (
        clock.at < to_timestamp(g.time + ${toleranceSec + 1}) and clock.at >= to_timestamp(g.time - ${toleranceSec}))
    ), ${parts.keyed} marked as (
      insert into inbound_signatures (expires_at, mac, webhook_id)
      select g.expires_at, g.mac, g.webhook_id from current g where g.mac is not null ${parts.unlessReused}
      order by g.expires_at, g.mac, g.webhook_id
      on conflict do nothing returning webhook_id, mac
    ), accepted as (
      select g.* from current g
      where (g.mac is null or ${!refusesReplay} or (g.webhook_id, g.mac) in (select webhook_id, mac from marked))
        ${parts.unlessRepeated}
    ), ${parts.claimed} stored as (
      insert into inbound_submissions (id, webhook_id, payload, is_signed, origin, received_at)
      select f.id, f.webhook_id, convert_from(substring(${bytes}::bytea from f.start for f.length), 'UTF8'),
        f.mac is not null, f.origin, clock.at
      from accepted f, clock where ${parts.isClaimed}
      returning id, webhook_id
    ), notified as (
      insert into deliveries (id, kind, project_id, type, data)
      select g.id, 'notice', t.project_id, 'submission.received',
        jsonb_build_object('text', format('Inbound webhook %s accepted submission %s.', t.name, g.id))
      from target t join current g on g.target = t.n
      where t.is_told and g.id in (select id from stored) order by g.n
    ), counted as (
      insert into inbound_submission_counts as c (webhook_id, part, count, last_at)
      select s.webhook_id, pg_backend_pid() % 32, count(*), max(clock.at) from stored s, clock group by s.webhook_id
      order by s.webhook_id
      on conflict (webhook_id, part) do update set
        count = c.count + excluded.count, last_at = greatest(c.last_at, excluded.last_at)
    )
    select a.n, (extract(epoch from clock.at) * 1000)::float8 as "atMs", a.n in (select n from current) as "isCurrent"
      ${parts.columns}
    from generate_series(0, ${items.length}::int) as a (n) cross join clock ${parts.joins}
    where a.n = 0 or a.n not in (select g.n from current g where g.id in (select id from stored))
    order by a.n`)
  const [{ atMs }, ...others] = rows as [InsertedRow, ...InsertedRow[]]
  return { atMs, notStored: new Map(others.map((row) => [row.n - 1, row])) }
}

/** Formats IDs or numbers as the text of a PostgreSQL array. Unlike other text, they need no quotes. */
const arrayOf = (values: readonly (string | number | undefined)[]): string =>
  `{${values.map((value) => value ?? 'NULL').join(',')}}`

/** The parts of the statement for idempotency keys. They are empty for a batch without keys, which is then cheaper. */
type KeyParts = Record<
  'keyed' | 'unlessReused' | 'unlessRepeated' | 'claimed' | 'isClaimed' | 'columns' | 'joins',
  Sql
>

const nothing = sql``
const withoutKeys: KeyParts = {
  keyed: nothing,
  unlessReused: nothing,
  unlessRepeated: nothing,
  claimed: nothing,
  isClaimed: sql`true`,
  columns: nothing,
  joins: nothing,
}

const withKeys = (items: readonly NewSubmission[]): KeyParts => ({
  keyed: sql`
    keyed as (
      select g.n, g.id, g.webhook_id, i.key, i.digest
      from current g
      join unnest(${items.map(({ idempotency }) => idempotency?.key ?? null)}::text[],
        ${items.map(({ idempotency }) => idempotency?.bodyDigest ?? null)}::text[])
        with ordinality as i (key, digest, n) on i.n = g.n and i.key is not null
    ), earlier as (
      select q.n, k.submission_id, k.received_at, k.body_digest = q.digest as is_same
      from keyed q join inbound_idempotency_keys k on k.webhook_id = q.webhook_id and k.key = q.key
      where k.received_at > clock_now() - interval '24 hours'
    ),`,
  unlessReused: sql`and not exists (select from earlier f where f.n = g.n and not f.is_same)`,
  unlessRepeated: sql`and not exists (select from earlier f where f.n = g.n)`,
  claimed: sql`
    claimed as (
      insert into inbound_idempotency_keys as k (webhook_id, key, body_digest, submission_id, received_at)
      select q.webhook_id, q.key, q.digest, q.id, clock.at from keyed q join accepted f on f.n = q.n, clock
      order by q.webhook_id, q.key
      on conflict (webhook_id, key) do update set
        body_digest = excluded.body_digest, submission_id = excluded.submission_id, received_at = excluded.received_at
      where k.received_at <= clock_now() - interval '24 hours'
      returning submission_id
    ),`,
  isClaimed: sql`f.n not in (select n from keyed) or f.id in (select submission_id from claimed)`,
  columns: sql`, e.submission_id as "firstId", (extract(epoch from e.received_at) * 1000)::float8 as "firstAtMs",
      e.is_same as "isSameBody", m.mac is not null as "isMarked"`,
  joins: sql`
    left join current g on g.n = a.n
    left join earlier e on e.n = a.n
    left join marked m on m.webhook_id = g.webhook_id and m.mac = g.mac`,
})

/** Finds the submission of an idempotency key, including one that a concurrent request has just stored. */
export const findFirst = (db: Queryable, webhookId: string, key: string) =>
  db.maybeOne<{ submissionId: string; receivedAtMs: number; bodyDigest: string }>(sql`
    select submission_id as "submissionId", (extract(epoch from received_at) * 1000)::float8 as "receivedAtMs",
      body_digest as "bodyDigest"
    from inbound_idempotency_keys where webhook_id = ${webhookId} and key = ${key}`)

/** Deletes the mark of a signature whose submission was rejected after all, so that the sender can send it again. */
export const dropMark = (db: Queryable, webhookId: string, { mac, timeSec }: Signature) =>
  db.execute(sql`
    delete from inbound_signatures
    where expires_at = to_timestamp(${timeSec + toleranceSec + 1}) and mac = ${mac} and webhook_id = ${webhookId}`)
