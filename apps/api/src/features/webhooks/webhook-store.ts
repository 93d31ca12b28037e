import type { Queryable, Tx } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import { schemaLimits } from './schemas-store.ts'
import type { WebhookRow } from './webhook.ts'

/** Builds the query for existing webhooks, newest first, with the number of their submissions. */
const select = (where: Sql) => sql`
  select w.id, w.project_id as "projectId", w.name, w.slug, w.schema,
    w.accepted_origins as "acceptedOrigins", w.allowed_role_ids as "allowedRoleIds",
    w.deactivated_at is null as "isActive", w.require_signature as "requireSignature",
    w.secret_set_at as "secretSetAt", w.created_at as "createdAt", w.updated_at as "updatedAt",
    coalesce(c.count, 0)::bigint as "submissionCount", c.last_at as "lastSubmissionAt"
  from inbound_webhooks w
  left join lateral (
    select sum(c.count) as count, max(c.last_at) as last_at
    from inbound_submission_counts c where c.webhook_id = w.id) c on true
  where w.deleted_at is null and ${where}
  order by w.created_at desc, w.id desc`

export const listWebhooks = (db: Queryable, projectId: string) =>
  db.query<WebhookRow>(select(sql`w.project_id = ${projectId}`))

export const findWebhook = (db: Queryable, projectId: string, webhookId: string) =>
  db.maybeOne<WebhookRow>(select(sql`w.project_id = ${projectId} and w.id = ${webhookId}`))

/** Returns the ID of a project's webhook that has this ID or slug, or undefined. */
export const findWebhookId = async (db: Queryable, projectId: string, idOrSlug: string) =>
  (
    await db.maybeOne<{ id: string }>(sql`
      select id from inbound_webhooks
      where project_id = ${projectId} and deleted_at is null
        and (id::text = lower(${idOrSlug}) or slug = ${idOrSlug})`)
  )?.id

/** Locks a webhook, so that two concurrent changes take turns. */
export const lockWebhook = (tx: Tx, projectId: string, webhookId: string) =>
  tx.maybeOne<{ id: string }>(sql`
    select id from inbound_webhooks
    where project_id = ${projectId} and id = ${webhookId} and deleted_at is null for update`)

/**
 * Locks a project, so that no other transaction adds a webhook to it. Other rows that refer to the project can still be
 * inserted. Returns undefined if the project does not exist.
 */
export const lockProject = (tx: Tx, projectId: string) =>
  tx.maybeOne<{ name: string }>(sql`
    select name from projects where id = ${projectId} and deleted_at is null for no key update`)

export const projectExists = async (db: Queryable, projectId: string) =>
  (await db.maybeOne(sql`select from projects where id = ${projectId} and deleted_at is null`)) !== undefined

export const slugsOf = async (tx: Tx, projectId: string) =>
  (
    await tx.query<{ slug: string }>(sql`
      select slug from inbound_webhooks where project_id = ${projectId} and deleted_at is null`)
  ).map(({ slug }) => slug)

/** The fields of a webhook that its owner sets. */
export interface WebhookValues {
  readonly name: string
  readonly slug: string
  readonly schema: Record<string, unknown>
  readonly acceptedOrigins: readonly string[]
  readonly allowedRoleIds: readonly string[]
  readonly isActive: boolean
  readonly requireSignature: boolean
}

export const insertWebhook = (
  tx: Tx,
  webhook: WebhookValues & { id: string; projectId: string; secretSealed: Uint8Array },
) =>
  tx.execute(sql`
    insert into inbound_webhooks (id, project_id, name, slug, schema, accepted_origins, allowed_role_ids,
      require_signature, secret_sealed, schema_limits, deactivated_at)
    values (${webhook.id}, ${webhook.projectId}, ${webhook.name}, ${webhook.slug},
      ${JSON.stringify(webhook.schema)}::json, ${webhook.acceptedOrigins}::text[],
      ${webhook.allowedRoleIds}::text[], ${webhook.requireSignature}, ${webhook.secretSealed}, ${schemaLimits},
      case when ${webhook.isActive} then null else clock_now() end)`)

/**
 * Updates a webhook. The new version makes cached targets of submissions outdated. `limits` is the version of the
 * limits that a new schema was checked against. It is undefined if the schema stays the same.
 */
export const updateWebhook = (
  tx: Tx,
  webhookId: string,
  webhook: WebhookValues,
  limits: number | undefined,
) =>
  tx.execute(sql`
    update inbound_webhooks set name = ${webhook.name}, slug = ${webhook.slug},
      schema = ${JSON.stringify(webhook.schema)}::json, accepted_origins = ${webhook.acceptedOrigins}::text[],
      allowed_role_ids = ${webhook.allowedRoleIds}::text[], require_signature = ${webhook.requireSignature},
      schema_limits = coalesce(${limits ?? null}::smallint, schema_limits),
      deactivated_at = case when ${webhook.isActive} then null else coalesce(deactivated_at, clock_now()) end,
      version = version + 1, updated_at = clock_now()
    where id = ${webhookId}`)

/** Replaces the signing secret. The new version makes caches of the old secret invalid. */
export const replaceSecret = (tx: Tx, webhookId: string, secretSealed: Uint8Array) =>
  tx.execute(sql`
    update inbound_webhooks set secret_sealed = ${secretSealed}, secret_set_at = clock_now(),
      version = version + 1, updated_at = clock_now()
    where id = ${webhookId}`)

/** Marks a webhook as deleted. Housekeeping deletes its submissions later, and its row stays. */
export const markDeleted = (tx: Tx, webhookId: string) =>
  tx.execute(sql`update inbound_webhooks set deleted_at = clock_now() where id = ${webhookId}`)

/** Returns true if the project has MANAGE_WEBHOOKS in at least one registered server. */
export const mayManageWebhooks = async (db: Queryable, projectId: string) =>
  (await db.maybeOne(sql`
    select from server_access a join servers v on v.id = a.server_id and v.removed_at is null
    where a.project_id = ${projectId} and a.can_manage_webhooks limit 1`)) !== undefined
