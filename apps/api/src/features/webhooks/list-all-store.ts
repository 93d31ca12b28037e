import { storedName } from '@rolecall/contract'
import type { Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import type { WebhookRow } from './webhook.ts'

/** A webhook in the list of all projects, without its schema, which may be long. */
export interface ListedRow extends Omit<WebhookRow, 'schema'> {
  readonly projectName: string
}

/** Selects webhooks of projects that are not deleted. `name` is a part of the webhook's or the project's name. */
const matching = (name: string | undefined): Sql => {
  const exists = sql`w.deleted_at is null and p.deleted_at is null`
  if (name === undefined) return exists
  const part = storedName(name)
  return sql`${exists} and (position(lower(${part}) in lower(w.name)) > 0 or position(lower(${part}) in lower(p.name)) > 0)`
}

/**
 * Lists a page of the webhooks of all projects, newest first. Sums up the submissions only for the webhooks of the
 * page.
 */
export const listAllWebhooks = (db: Queryable, name: string | undefined, limit: number, offset: number) =>
  db.query<ListedRow>(sql`
    select w.id, w.project_id as "projectId", w."projectName", w.name, w.slug,
      w.accepted_origins as "acceptedOrigins", w.allowed_role_ids as "allowedRoleIds",
      w.deactivated_at is null as "isActive", w.require_signature as "requireSignature",
      w.secret_set_at as "secretSetAt", w.created_at as "createdAt", w.updated_at as "updatedAt",
      coalesce(c.count, 0)::bigint as "submissionCount", c.last_at as "lastSubmissionAt"
    from (
      select w.*, p.name as "projectName" from inbound_webhooks w join projects p on p.id = w.project_id
      where ${matching(name)} order by w.created_at desc, w.id desc limit ${limit} offset ${offset}) w
    left join lateral (
      select sum(c.count) as count, max(c.last_at) as last_at
      from inbound_submission_counts c where c.webhook_id = w.id) c on true
    order by w.created_at desc, w.id desc`)

export const countAllWebhooks = async (db: Queryable, name: string | undefined): Promise<number> =>
  (
    await db.maybeOne<{ total: number }>(sql`
      select count(*) as total from inbound_webhooks w join projects p on p.id = w.project_id
      where ${matching(name)}`)
  )?.total ?? 0
