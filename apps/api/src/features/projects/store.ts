import { type projects, storedName } from '@rolecall/contract'
import type { Queryable, Tx } from '#platform/db/database'
import { allOf, type Sql, sql } from '#platform/db/sql'
import type { StoredGroups } from './groups-store.ts'
import { isExpired } from './key-store.ts'
import { oidcOf } from './oidc-store.ts'

/** A project to create. */
export interface NewProject {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly isActive: boolean
  readonly isInternal: boolean
  readonly redirectUris: readonly string[]
  readonly webhookUrlSealed: Uint8Array | null
  readonly webhookUrlHost: string | null
}

export const insertProject = (tx: Tx, project: NewProject) =>
  tx.execute(sql`
    insert into projects (id, name, description, is_internal, redirect_uris, deactivated_at,
      webhook_url_sealed, webhook_url_host)
    values (${project.id}, ${project.name}, ${project.description}, ${project.isInternal},
      ${project.redirectUris}::text[], case when ${project.isActive} then null else clock_now() end,
      ${project.webhookUrlSealed}, ${project.webhookUrlHost})`)

/** A project, with its newest API key (`key…`) and its settings in other tables. */
export interface ProjectRow extends StoredGroups {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly isActive: boolean
  readonly isInternal: boolean
  readonly redirectUris: string[]
  readonly webhookUrlSealed: Uint8Array | null
  readonly webhookUrlHost: string | null
  readonly eventsUrl: string | null
  readonly eventsDisabledAt: Date | null
  readonly owners: { readonly roleIds: string[]; readonly memberIds: string[] }
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly keyPrefix: string
  readonly keyCreatedAt: Date
  readonly keyLastUsedAt: Date | null
  readonly keyRevokedAt: Date | null
  readonly keyIsExpired: boolean
  readonly accentColor: string | null
  readonly hasLogo: boolean
  readonly oidc: projects.Project['oidc']
}

/** Builds the query for projects that are not deleted, newest first. `page` is its `limit` and `offset`. */
const selectProjects = (where: Sql, page: Sql) => sql`
  select p.id, p.name, p.description, p.deactivated_at is null as "isActive", p.is_internal as "isInternal",
    p.redirect_uris as "redirectUris", p.group_names as "groupNames", p.only_named_groups as "onlyNamedGroups",
    p.webhook_url_sealed as "webhookUrlSealed",
    p.webhook_url_host as "webhookUrlHost", e.url as "eventsUrl", e.disabled_at as "eventsDisabledAt",
    jsonb_build_object('roleIds', coalesce(o.role_ids, '{}'), 'memberIds', coalesce(o.member_ids, '{}')) as owners,
    p.created_at as "createdAt", p.updated_at as "updatedAt",
    k.prefix as "keyPrefix", k.created_at as "keyCreatedAt", k.last_used_at as "keyLastUsedAt",
    k.revoked_at as "keyRevokedAt", ${isExpired} as "keyIsExpired",
    p.accent_color as "accentColor",
    exists (select from project_logos l where l.project_id = p.id) as "hasLogo",
    ${oidcOf} as oidc
  from projects p join api_keys k on k.project_id = p.id and k.replaced_at is null
    left join event_endpoints e on e.project_id = p.id
    left join project_owners o on o.project_id = p.id
  where p.deleted_at is null and ${where}
  order by p.created_at desc, p.id desc ${page}`

export const findProject = (db: Queryable, id: string) =>
  db.maybeOne<ProjectRow>(selectProjects(sql`p.id = ${id}`, sql``))

/** The projects to list. An omitted filter matches everything. */
export interface ProjectFilter {
  readonly isActive?: boolean | undefined
  readonly isInternal?: boolean | undefined
  /** A part of the name, regardless of case and Unicode composition. No character is a wildcard. */
  readonly name?: string | undefined
}

/** Lists a page of the projects, newest first. */
export const listProjects = (
  db: Queryable,
  filter: ProjectFilter,
  { limit, offset }: { limit: number; offset: number },
) => db.query<ProjectRow>(selectProjects(matching(filter), sql`limit ${limit} offset ${offset}`))

export async function countProjects(db: Queryable, filter: ProjectFilter): Promise<number> {
  const row = await db.maybeOne<{ total: number }>(
    sql`select count(*) as total from projects p where p.deleted_at is null and ${matching(filter)}`,
  )
  return row?.total ?? 0
}

function matching(filter: ProjectFilter): Sql {
  const conditions: Sql[] = []
  if (filter.isActive !== undefined) conditions.push(sql`(p.deactivated_at is null) = ${filter.isActive}`)
  if (filter.isInternal !== undefined) conditions.push(sql`p.is_internal = ${filter.isInternal}`)
  if (filter.name) conditions.push(sql`position(lower(${storedName(filter.name)}) in lower(p.name)) > 0`)
  return allOf(conditions)
}

/** Locks a project until the transaction ends, so that changes to one project run one after another. */
export const lockProject = (tx: Tx, id: string) =>
  tx.maybeOne(sql`select from projects where id = ${id} and deleted_at is null for no key update`)

/** The fields of a project that a change writes. */
interface ChangedProject extends Omit<NewProject, 'redirectUris'> {
  readonly accentColor: string | null
}

/** Writes all fields of a project. A project that is inactive already keeps the time of its deactivation. */
export const updateProject = (tx: Tx, project: ChangedProject) =>
  tx.execute(sql`
    update projects set name = ${project.name}, description = ${project.description}, is_internal = ${project.isInternal},
      accent_color = ${project.accentColor},
      webhook_url_sealed = ${project.webhookUrlSealed}, webhook_url_host = ${project.webhookUrlHost}, updated_at = clock_now(),
      deactivated_at = case when ${project.isActive} then null else coalesce(deactivated_at, clock_now()) end
    where id = ${project.id}`)

export const updateRedirectUris = (tx: Tx, id: string, uris: readonly string[]) =>
  tx.execute(sql`
    update projects set redirect_uris = ${uris}::text[], updated_at = clock_now() where id = ${id}`)

/** Sets the time of the last change, after a change that is stored in another table. */
export const noteChange = (tx: Tx, id: string) =>
  tx.execute(sql`update projects set updated_at = clock_now() where id = ${id}`)

/** Marks a project as deleted. The row stays, because the audit log and other tables refer to it. */
export const markDeleted = (tx: Tx, id: string) =>
  tx.execute(sql`update projects set deleted_at = clock_now(), updated_at = clock_now() where id = ${id}`)
