import type { Database, Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { Reach } from '../../deps.ts'

/** Everything within the reach of a change that the change may end. */
interface Standing {
  /** The places whose sessions can be validated. */
  readonly places: readonly Place[]
  readonly keyIds: readonly string[]
  readonly webhookIds: readonly string[]
}

/** A project in a server. If the project is null, the place is that of the admin sessions in the server. */
export interface Place {
  readonly projectId: string | null
  readonly serverId: string
}

/**
 * Marks the transaction as a dry run. The trigger `servers_members` (`0003_members.sql`) then does not update, and so
 * does not lock, the members of a server.
 */
export const beginRehearsal = (db: Queryable) =>
  db.execute(sql`select set_config('rolecall.rehearsal', 'on', true)`)

/** Reads the state within a reach, as this transaction sees it. */
export async function readStanding(
  db: Queryable,
  { projectId = null, serverId = null }: Nulls,
): Promise<Standing> {
  const places = await db.query<Place>(sql`
    select r.project_id as "projectId", r.server_id as "serverId"
    from readable_servers r join projects p on p.id = r.project_id
    where p.deleted_at is null and p.deactivated_at is null
      and exists (select from working_keys k where k.project_id = p.id)
      and (${projectId}::uuid is null or r.project_id = ${projectId}::uuid)
      and (${serverId}::text is null or r.server_id = ${serverId}::text)
    union all
    select null, v.id from servers v
    where ${projectId}::uuid is null and v.id = ${serverId}::text and v.removed_at is null`)
  const keys = await db.query<{ id: string }>(sql`
    select k.id from working_keys k join projects p on p.id = k.project_id
    where k.project_id = ${projectId}::uuid and p.deleted_at is null and p.deactivated_at is null`)
  const webhooks = await db.query<{ id: string }>(sql`
    select id from inbound_webhooks where project_id = ${projectId}::uuid and deleted_at is null`)
  return { places, keyIds: keys.map(({ id }) => id), webhookIds: webhooks.map(({ id }) => id) }
}

/** A reach whose fields may also be null. */
type Nulls = { readonly [K in keyof Reach]: string | null | undefined }

/** Counts the sessions that can be validated in these places, and their members. */
export async function countSessions(db: Pick<Database, 'transaction'>, places: readonly Place[]) {
  const none = { sessions: 0, members: 0 }
  if (places.length === 0) return none
  const count = sql`
    select count(*) as sessions, count(distinct l.member_id) as members
    from unnest(${places.map(({ projectId }) => projectId)}::uuid[],
      ${places.map(({ serverId }) => serverId)}::text[]) as x (project_id, server_id)
    join live_sessions l on l.server_id = x.server_id and l.project_id is not distinct from x.project_id`
  // A server can have a million sessions, so the statement has no timeout.
  return db.transaction(async (tx) => (await tx.maybeOne<typeof none>(count)) ?? none, { long: true })
}

/** Counts the live sessions in these places that OpenID Connect created. */
export async function countClientSessions(
  db: Pick<Database, 'transaction'>,
  places: readonly Place[],
): Promise<number> {
  if (places.length === 0) return 0
  const count = sql`
    select count(*) as sessions
    from unnest(${places.map(({ projectId }) => projectId)}::uuid[],
      ${places.map(({ serverId }) => serverId)}::text[]) as x (project_id, server_id)
    join live_sessions l on l.server_id = x.server_id and l.project_id = x.project_id
    join oidc_sessions o on o.session_id = l.id`
  const row = await db.transaction((tx) => tx.maybeOne<{ sessions: number }>(count), { long: true })
  return row?.sessions ?? 0
}

export async function countSubmissions(db: Queryable, webhookIds: readonly string[]): Promise<number> {
  const row = await db.maybeOne<{ submissions: number }>(sql`
    select coalesce(sum(count), 0)::bigint as submissions
    from inbound_submission_counts where webhook_id = any(${webhookIds}::uuid[])`)
  return row?.submissions ?? 0
}
