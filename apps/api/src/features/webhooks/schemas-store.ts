import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/**
 * The version of the limits for schemas. Increase it when a limit becomes smaller, so that stored schemas are checked.
 */
export const schemaLimits = 2

/** The number of schemas that are read at once. It is small, because each schema may have 64 KiB. */
const pageSize = 20

/** A webhook whose schema is checked. */
export interface StoredSchema {
  readonly id: string
  readonly name: string
  readonly projectId: string
  readonly version: number
  readonly schema: unknown
}

/** Lists webhooks whose schema was accepted under other limits, in the order of their IDs, after the ID `after`. */
export const schemasOfOtherLimits = (db: Queryable, after: string | undefined) =>
  db.query<StoredSchema>(sql`
    select id, name, project_id as "projectId", version, schema from inbound_webhooks
    where deleted_at is null and schema_limits is distinct from ${schemaLimits}::smallint
      and ${after === undefined ? sql`true` : sql`id > ${after}`}
    order by id limit ${pageSize}`)

/** Marks a schema as within the current limits, unless the webhook has changed since `version`. */
export const markReviewed = (db: Queryable, webhookId: string, version: number) =>
  db.execute(sql`
    update inbound_webhooks set schema_limits = ${schemaLimits} where id = ${webhookId} and version = ${version}`)
