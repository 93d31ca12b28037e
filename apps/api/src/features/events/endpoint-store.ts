import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** The webhook to which a project's events are sent. */
export interface Endpoint {
  readonly projectName: string
  /** Null if the project has no address for events, or if delivery was disabled. */
  readonly url: string | null
  readonly secretSealed: Uint8Array | null
  /** The previous secret, while events are signed with both. Null otherwise. */
  readonly formerSecretSealed: Uint8Array | null
}

export const findEndpoint = (db: Queryable, projectId: string) =>
  db.maybeOne<Endpoint>(sql`
    select p.name as "projectName", case when e.disabled_at is null then e.url end as url,
      e.secret_sealed as "secretSealed",
      case when e.former_secret_until > clock_now() then e.former_secret_sealed end as "formerSecretSealed"
    from event_endpoints e join projects p on p.id = e.project_id where e.project_id = ${projectId}`)

/** Disables delivery to a webhook, unless its address has changed since. Returns the number of disabled webhooks. */
export const disableEndpoint = (tx: Tx, projectId: string, url: string) =>
  tx.execute(sql`
    update event_endpoints set disabled_at = clock_now()
    where project_id = ${projectId} and url = ${url} and disabled_at is null`)

/** Finds a project. `hasAddress` is true if its events are currently sent to a webhook. */
export const findEventsProject = (db: Queryable, projectId: string) =>
  db.maybeOne<{ id: string; name: string; hasAddress: boolean }>(sql`
    select p.id, p.name, coalesce(e.url is not null and e.disabled_at is null, false) as "hasAddress"
    from projects p left join event_endpoints e on e.project_id = p.id
    where p.id = ${projectId} and p.deleted_at is null`)
