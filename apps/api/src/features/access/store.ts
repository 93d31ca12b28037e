import { type access, storedName } from '@rolecall/contract'
import { uuidv7 } from '#platform/crypto/uuid'
import type { Queryable, Tx } from '#platform/db/database'
import { allOf, type Sql, sql } from '#platform/db/sql'

// A mapping is the access of a project to a server: its operations and scopes.

/** All scopes, in the order in which they are stored. */
export const allScopes: readonly access.Scope[] = ['read_members', 'check_permissions']
/** Sorts scopes and removes repetitions, so that equal sets are equal lists. */
export const inOrder = (scopes: readonly access.Scope[]) =>
  allScopes.filter((scope) => scopes.includes(scope))

/** The operations of a new mapping. */
export const defaultOperations: access.Operations = {
  READ: true,
  SEND_MESSAGES: false,
  MANAGE_WEBHOOKS: false,
}

/** The fields of a mapping that a request can set. */
export interface Grant {
  readonly operations: access.Operations
  readonly scopes: readonly access.Scope[]
}

/** A project or a server. */
export interface Named {
  readonly id: string
  readonly name: string
}

/**
 * Locks a project, so that changes to its access run one after another. Returns undefined if the project is unknown or
 * deleted.
 */
export const lockProject = (tx: Tx, projectId: string) =>
  tx.maybeOne<Named>(sql`
    select id, name from projects where id = ${projectId} and deleted_at is null for no key update`)

export const findProject = (db: Queryable, projectId: string) =>
  db.maybeOne<Named>(sql`select id, name from projects where id = ${projectId} and deleted_at is null`)

/** Returns the registered servers among `serverIds`. If `serverIds` is undefined, returns the main server. */
export const findServers = (db: Queryable, serverIds: readonly string[] | undefined) =>
  db.query<Named>(sql`
    select id, name from servers
    where removed_at is null and (id = any(${serverIds ?? []}::text[]) or (${serverIds === undefined} and is_main))
    order by id`)

interface MappingRow {
  readonly projectId: string
  readonly projectName: string
  readonly projectIsActive: boolean
  readonly serverId: string
  readonly serverName: string
  readonly isMainServer: boolean
  readonly canRead: boolean
  readonly canSendMessages: boolean
  readonly canManageWebhooks: boolean
  readonly scopes: access.Scope[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The mappings to list. An omitted filter matches everything. `projectName` is a part of the name. */
export interface MappingFilter {
  readonly projectIds?: readonly string[] | undefined
  readonly serverId?: string | undefined
  readonly scope?: access.Scope | undefined
  readonly isActive?: boolean | undefined
  readonly projectName?: string | undefined
}

/** Selects mappings in effect: the project is not deleted, and the server is registered. */
function selectMappings(columns: Sql, filter: MappingFilter): Sql {
  const conditions: Sql[] = [sql`p.deleted_at is null`, sql`v.removed_at is null`]
  if (filter.projectIds) conditions.push(sql`a.project_id = any(${filter.projectIds}::uuid[])`)
  if (filter.serverId) conditions.push(sql`a.server_id = ${filter.serverId}`)
  if (filter.scope) conditions.push(sql`${filter.scope} = any(a.scopes)`)
  if (filter.isActive !== undefined) conditions.push(sql`(p.deactivated_at is null) = ${filter.isActive}`)
  if (filter.projectName)
    conditions.push(sql`position(lower(${storedName(filter.projectName)}) in lower(p.name)) > 0`)
  return sql`
    select ${columns}
    from server_access a join projects p on p.id = a.project_id join servers v on v.id = a.server_id
    where ${allOf(conditions)}`
}

const mappingColumns = sql`a.project_id as "projectId", p.name as "projectName", p.deactivated_at is null as "projectIsActive",
      a.server_id as "serverId", v.name as "serverName", v.is_main as "isMainServer", a.can_read as "canRead",
      a.can_send_messages as "canSendMessages", a.can_manage_webhooks as "canManageWebhooks", a.scopes,
      a.created_at as "createdAt", a.updated_at as "updatedAt"`

/** Lists mappings, newest first. Lists all of them if `limit` is null. */
export async function listMappings(
  db: Queryable,
  filter: MappingFilter,
  limit: number | null = null,
): Promise<access.AccessMapping[]> {
  const rows = await db.query<MappingRow>(sql`
    ${selectMappings(mappingColumns, filter)}
    order by a.created_at desc, a.project_id desc, a.server_id desc limit ${limit}::int`)
  return rows.map(({ canRead, canSendMessages, canManageWebhooks, createdAt, updatedAt, ...row }) => ({
    ...row,
    operations: { READ: canRead, SEND_MESSAGES: canSendMessages, MANAGE_WEBHOOKS: canManageWebhooks },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }))
}

export async function countMappings(db: Queryable, filter: MappingFilter): Promise<number> {
  const row = await db.maybeOne<{ total: number }>(selectMappings(sql`count(*) as total`, filter))
  return row?.total ?? 0
}

/** Inserts or updates a mapping. Call `lockProject` first, so that there are no concurrent changes. */
export const upsertMapping = (tx: Tx, projectId: string, serverId: string, { operations, scopes }: Grant) =>
  tx.execute(sql`
    insert into server_access (project_id, server_id, can_read, can_send_messages, can_manage_webhooks, scopes)
    values (${projectId}, ${serverId}, ${operations.READ}, ${operations.SEND_MESSAGES},
      ${operations.MANAGE_WEBHOOKS}, ${scopes}::text[])
    on conflict (project_id, server_id) do update set
      can_read = excluded.can_read, can_send_messages = excluded.can_send_messages,
      can_manage_webhooks = excluded.can_manage_webhooks, scopes = excluded.scopes, updated_at = clock_now()`)

export const deleteMapping = (tx: Tx, projectId: string, serverId: string) =>
  tx.execute(sql`delete from server_access where project_id = ${projectId} and server_id = ${serverId}`)

/** An entry of the access trail, the history of all mappings. */
export interface TrailEntry {
  readonly action: 'GRANT' | 'UPDATE' | 'REVOKE'
  readonly project: Named
  readonly server: Named
  readonly actor: { readonly id: string; readonly username: string } | undefined
  /** Null for a new mapping. */
  readonly before: Grant | null
  /** Null for a revoked mapping. */
  readonly after: Grant | null
}

export const insertTrailEntry = (tx: Tx, { action, project, server, actor, before, after }: TrailEntry) =>
  tx.execute(sql`
    insert into access_trail (id, action, project_id, project_name, server_id, server_name, actor_id,
      actor_username, before, after)
    values (${uuidv7()}, ${action}, ${project.id}, ${project.name}, ${server.id}, ${server.name},
      ${actor?.id ?? null}, ${actor?.username ?? null}, ${before && JSON.stringify(before)},
      ${after && JSON.stringify(after)})`)

/**
 * Removes the actor from the entries of the access trail that name an erased member, and keeps the entries. Call it
 * only in the transaction that erases the member.
 */
export const eraseTrailActor = (tx: Tx, memberId: string) =>
  tx.execute(sql`
    update access_trail set actor_id = null, actor_username = null where actor_id = ${memberId}`)

/** The entries to list. An omitted filter matches everything. */
export interface TrailFilter {
  readonly projectId?: string | undefined
  readonly serverId?: string | undefined
  readonly action?: string | undefined
  readonly limit: number
}

/** Lists the newest entries of the access trail that match. `total` counts all of them. */
export async function listTrail(db: Queryable, filter: TrailFilter) {
  const conditions: Sql[] = []
  if (filter.projectId) conditions.push(sql`project_id = ${filter.projectId}`)
  if (filter.serverId) conditions.push(sql`server_id = ${filter.serverId}`)
  if (filter.action) conditions.push(sql`action = ${filter.action}`)
  const where = allOf(conditions)
  const rows = await db.query<Omit<access.AccessChange, 'at'> & { at: Date }>(sql`
    select id, at, action, project_id as "projectId", project_name as "projectName", server_id as "serverId",
      server_name as "serverName", actor_id as "actorId", actor_username as "actorUsername", before, after
    from access_trail where ${where} order by seq desc limit ${filter.limit}`)
  const counted = await db.maybeOne<{ total: number }>(sql`
    select count(*) as total from access_trail where ${where}`)
  return {
    data: rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() })),
    total: counted?.total ?? 0,
  }
}
