import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { Notice } from './notice.ts'

/** Queues a notice. Does nothing if the project has no webhook address or was deleted. */
export const insertNotice = (tx: Tx, { id, projectId, type, text }: Notice & { id: string }) =>
  tx.execute(sql`
    insert into deliveries (id, kind, project_id, type, data)
    select ${id}::uuid, 'notice', p.id, ${type}, jsonb_build_object('text', ${text}::text) from projects p
    where p.id = ${projectId} and p.webhook_url_sealed is not null and p.deleted_at is null`)

/** Removes the name of an erased member from the notices about changes that the member made. */
export const eraseName = (tx: Tx, username: string) =>
  tx.execute(sql`
    update deliveries set data = jsonb_set(data, '{text}',
      to_jsonb(left(data ->> 'text', -length(${` By ${username}.`}))))
    where kind = 'notice' and right(data ->> 'text', length(${` By ${username}.`})) = ${` By ${username}.`}`)

/** The Discord channel of a project. */
export interface Channel {
  readonly projectName: string
  /** The encrypted webhook address. Null if the project was deleted or no longer has an address. */
  readonly sealed: Uint8Array | null
  readonly host: string | null
}

export const findChannel = (db: Queryable, projectId: string) =>
  db.maybeOne<Channel>(sql`
    select name as "projectName", case when deleted_at is null then webhook_url_sealed end as sealed,
      webhook_url_host as host
    from projects where id = ${projectId}`)

/** Removes the webhook address of a project, unless it has changed since. Returns the number of removed addresses. */
export const removeAddress = (tx: Tx, projectId: string, sealed: Uint8Array) =>
  tx.execute(sql`
    update projects set webhook_url_sealed = null, webhook_url_host = null, updated_at = clock_now()
    where id = ${projectId} and webhook_url_sealed = ${sealed} and deleted_at is null`)

/** Finds a project. `hasAddress` is true if the project currently has a webhook address. */
export const findNoticesProject = (db: Queryable, id: string) =>
  db.maybeOne<{ id: string; name: string; hasAddress: boolean }>(sql`
    select id, name, webhook_url_sealed is not null as "hasAddress"
    from projects where id = ${id} and deleted_at is null`)
