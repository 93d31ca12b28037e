import type { access } from '@rolecall/contract'
import type { Queryable, Tx } from '#platform/db/database'
import { allOf, type Sql, sql } from '#platform/db/sql'

/** How a project may use a server. */
export interface AccessState {
  readonly operations: access.Operations
  readonly scopes: readonly access.Scope[]
}

export interface AccessRow {
  readonly projectId: string
  readonly projectName: string
  readonly projectIsActive: boolean
  readonly serverId: string
  readonly serverName: string
  readonly isMainServer: boolean
  readonly canRead: boolean
  readonly canSendMessages: boolean
  readonly canManageWebhooks: boolean
  readonly scopes: readonly access.Scope[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface AccessFilters {
  readonly projectIds?: readonly string[]
  readonly serverId?: string
  readonly scope?: access.Scope
  readonly isActive?: boolean
  readonly projectName?: string
}

/** Mappings of deleted projects and removed servers do not count: nothing can be done with them. */
const mappings = sql`
  from server_access a
  join projects p on p.id = a.project_id and p.deleted_at is null
  join servers v on v.id = a.server_id and v.removed_at is null`

export const listAccessRows = (
  db: Queryable,
  filters: AccessFilters,
  page: { limit: number | null; offset: number },
) =>
  db.query<AccessRow>(sql`
    select a.project_id as "projectId", p.name as "projectName", p.deactivated_at is null as "projectIsActive",
      a.server_id as "serverId", v.name as "serverName", v.is_main as "isMainServer", a.can_read as "canRead",
      a.can_send_messages as "canSendMessages", a.can_manage_webhooks as "canManageWebhooks", a.scopes,
      a.created_at as "createdAt", a.updated_at as "updatedAt"
    ${mappings} where ${matching(filters)}
    order by a.created_at desc, a.project_id desc, a.server_id desc
    limit ${page.limit}::int offset ${page.offset}::int`)

export async function countAccess(db: Queryable, filters: AccessFilters): Promise<number> {
  const row = await db.maybeOne<{ total: number }>(
    sql`select count(*) as total ${mappings} where ${matching(filters)}`,
  )
  return row?.total ?? 0
}

const matching = ({ projectIds, serverId, scope, isActive, projectName }: AccessFilters): Sql =>
  allOf([
    ...(projectIds === undefined ? [] : [sql`a.project_id = any(${projectIds}::uuid[])`]),
    ...(serverId === undefined ? [] : [sql`a.server_id = ${serverId}`]),
    ...(scope === undefined ? [] : [sql`${scope}::text = any(a.scopes)`]),
    ...(isActive === undefined ? [] : [sql`(p.deactivated_at is null) = ${isActive}`]),
    // A name is taken for what it is: nothing in it is a wildcard.
    ...(projectName === undefined ? [] : [sql`strpos(lower(p.name), lower(${projectName}::text)) > 0`]),
  ])

export interface AccessProject {
  readonly id: string
  readonly name: string
}

export interface AccessServer {
  readonly id: string
  readonly name: string
}

/** A project whose access, state and keys stay as they are until the transaction ends. */
export const lockProject = (tx: Tx, id: string) =>
  tx.maybeOne<AccessProject>(
    sql`select id, name from projects where id = ${id} and deleted_at is null for no key update`,
  )

export const projectExists = (db: Queryable, id: string) =>
  db.maybeOne(sql`select from projects where id = ${id} and deleted_at is null`)

export const findServer = (db: Queryable, id: string) =>
  db.maybeOne<AccessServer>(sql`select id, name from servers where id = ${id} and removed_at is null`)

/** The main server, and those of these ids that are registered. */
export const findServers = (db: Queryable, ids: readonly string[]) =>
  db.query<AccessServer & { isMain: boolean }>(sql`
    select id, name, is_main as "isMain" from servers
    where removed_at is null and (is_main or id = any(${ids}::text[]))`)

export const upsertAccess = (tx: Tx, projectId: string, serverId: string, state: AccessState) =>
  tx.execute(sql`
    insert into server_access (project_id, server_id, can_read, can_send_messages, can_manage_webhooks, scopes)
    values (${projectId}, ${serverId}, ${state.operations.READ}, ${state.operations.SEND_MESSAGES},
      ${state.operations.MANAGE_WEBHOOKS}, ${state.scopes}::text[])
    on conflict (project_id, server_id) do update set can_read = excluded.can_read,
      can_send_messages = excluded.can_send_messages, can_manage_webhooks = excluded.can_manage_webhooks,
      scopes = excluded.scopes, updated_at = clock_now()`)

export const deleteAccess = (tx: Tx, projectId: string, serverId: string) =>
  tx.execute(sql`delete from server_access where project_id = ${projectId} and server_id = ${serverId}`)

export interface NewTrailEntry {
  readonly id: string
  readonly action: access.AccessTrailEntry['action']
  readonly project: AccessProject
  readonly server: AccessServer
  readonly actorId: string | null
  readonly actorUsername: string | null
  readonly before: AccessState | null
  readonly after: AccessState | null
}

export const appendTrail = (tx: Tx, entry: NewTrailEntry) =>
  tx.execute(sql`
    insert into access_trail (id, action, project_id, project_name, server_id, server_name, actor_id,
      actor_username, before, after)
    values (${entry.id}, ${entry.action}, ${entry.project.id}, ${entry.project.name}, ${entry.server.id},
      ${entry.server.name}, ${entry.actorId}, ${entry.actorUsername},
      ${entry.before && JSON.stringify(entry.before)}, ${entry.after && JSON.stringify(entry.after)})`)

export interface TrailFilters {
  readonly projectId?: string
  readonly serverId?: string
  readonly action?: access.AccessTrailEntry['action']
}

export type TrailRow = Omit<access.AccessTrailEntry, 'at'> & { readonly at: Date }

export const listTrail = (db: Queryable, filters: TrailFilters, limit: number) =>
  db.query<TrailRow>(sql`
    select id, at, action, project_id as "projectId", project_name as "projectName",
      server_id as "serverId", server_name as "serverName", actor_id as "actorId",
      actor_username as "actorUsername", before, after
    from access_trail where ${matchingTrail(filters)} order by seq desc limit ${limit}`)

export async function countTrail(db: Queryable, filters: TrailFilters): Promise<number> {
  const row = await db.maybeOne<{ total: number }>(
    sql`select count(*) as total from access_trail where ${matchingTrail(filters)}`,
  )
  return row?.total ?? 0
}

const matchingTrail = ({ projectId, serverId, action }: TrailFilters): Sql =>
  allOf([
    ...(projectId === undefined ? [] : [sql`project_id = ${projectId}`]),
    ...(serverId === undefined ? [] : [sql`server_id = ${serverId}`]),
    ...(action === undefined ? [] : [sql`action = ${action}`]),
  ])
