import type { Queryable, Tx } from '#platform/db/database'
import { allOf, type Sql, sql } from '#platform/db/sql'

/** The columns of a project that an administrator may set. */
export interface ProjectFields {
  readonly name: string
  readonly description: string | null
  readonly isActive: boolean
  readonly isInternal: boolean
  readonly webhookUrlOrigin: string | null
  readonly webhookUrlSealed: Uint8Array | null
}

export interface NewProject extends ProjectFields {
  readonly id: string
  readonly redirectUris: readonly string[]
}

export const insertProject = (tx: Tx, project: NewProject) =>
  tx.execute(sql`
    insert into projects (id, name, description, is_internal, redirect_uris, webhook_url_origin,
      webhook_url_sealed, deactivated_at)
    values (${project.id}, ${project.name}, ${project.description}, ${project.isInternal},
      ${project.redirectUris}::text[], ${project.webhookUrlOrigin}, ${project.webhookUrlSealed},
      case when ${project.isActive} then null else clock_now() end)`)

export interface ProjectRow extends Omit<ProjectFields, 'webhookUrlSealed'> {
  readonly id: string
  readonly redirectUris: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly keyPrefix: string
  readonly keyCreatedAt: Date
  readonly keyLastUsedAt: Date | null
  readonly keyRevokedAt: Date | null
}

const projectColumns = sql`p.id, p.name, p.description, p.deactivated_at is null as "isActive",
  p.is_internal as "isInternal", p.redirect_uris as "redirectUris",
  p.webhook_url_origin as "webhookUrlOrigin", p.created_at as "createdAt", p.updated_at as "updatedAt"`

/** Every project has exactly one key that no newer one replaced. */
const projectsWithKey = sql`
  select ${projectColumns}, k.prefix as "keyPrefix", k.created_at as "keyCreatedAt",
    k.last_used_at as "keyLastUsedAt", k.revoked_at as "keyRevokedAt"
  from projects p join api_keys k on k.project_id = p.id and k.replaced_at is null`

export const findProject = (db: Queryable, id: string) =>
  db.maybeOne<ProjectRow>(sql`${projectsWithKey} where p.id = ${id} and p.deleted_at is null`)

export interface ProjectFilters {
  readonly isActive?: boolean
  readonly isInternal?: boolean
  readonly name?: string
}

export const listProjectRows = (
  db: Queryable,
  filters: ProjectFilters,
  { limit, offset }: { limit: number; offset: number },
) =>
  db.query<ProjectRow>(sql`
    ${projectsWithKey} where ${matching(filters)}
    order by p.created_at desc, p.id desc limit ${limit} offset ${offset}`)

export async function countProjects(db: Queryable, filters: ProjectFilters): Promise<number> {
  const row = await db.maybeOne<{ total: number }>(
    sql`select count(*) as total from projects p where ${matching(filters)}`,
  )
  return row?.total ?? 0
}

/** `strpos` takes the name for what it is: nothing in it is a wildcard. */
const matching = ({ isActive, isInternal, name }: ProjectFilters): Sql =>
  allOf([
    sql`p.deleted_at is null`,
    ...(isActive === undefined ? [] : [sql`(p.deactivated_at is null) = ${isActive}`]),
    ...(isInternal === undefined ? [] : [sql`p.is_internal = ${isInternal}`]),
    ...(name === undefined ? [] : [sql`strpos(lower(p.name), lower(${name}::text)) > 0`]),
  ])

export interface LockedProject extends ProjectFields {
  readonly id: string
  readonly redirectUris: readonly string[]
}

/**
 * A project as it is now, and stays until the transaction ends: whoever changes a project, its key or its
 * access takes this lock first, so what they read before the change is what they change. Sessions and
 * logins, which only refer to the project, go on.
 */
export const lockProject = (tx: Tx, id: string) =>
  tx.maybeOne<LockedProject>(sql`
    select ${projectColumns}, p.webhook_url_sealed as "webhookUrlSealed"
    from projects p where p.id = ${id} and p.deleted_at is null for no key update`)

export const findSealedWebhookUrl = (db: Queryable, id: string) =>
  db.maybeOne<{ sealed: Uint8Array | null }>(
    sql`select webhook_url_sealed as sealed from projects where id = ${id} and deleted_at is null`,
  )

export const writeProject = (tx: Tx, id: string, project: ProjectFields) =>
  tx.execute(sql`
    update projects set name = ${project.name}, description = ${project.description},
      is_internal = ${project.isInternal}, webhook_url_origin = ${project.webhookUrlOrigin},
      webhook_url_sealed = ${project.webhookUrlSealed}, updated_at = clock_now(),
      deactivated_at = case when ${project.isActive} then null else coalesce(deactivated_at, clock_now()) end
    where id = ${id}`)

export const writeRedirectUris = (tx: Tx, id: string, redirectUris: readonly string[]) =>
  tx.execute(sql`
    update projects set redirect_uris = ${redirectUris}::text[], updated_at = clock_now() where id = ${id}`)

/** A deleted project keeps its row for those who refer to it, but no secret. */
export const markDeleted = (tx: Tx, id: string) =>
  tx.execute(sql`
    update projects set deleted_at = clock_now(), updated_at = clock_now(), webhook_url_sealed = null
    where id = ${id}`)

export const insertApiKey = (
  tx: Tx,
  key: { id: string; projectId: string; prefix: string; digest: string },
) =>
  tx.maybeOne<{ createdAt: Date }>(sql`
    insert into api_keys (id, project_id, prefix, digest)
    values (${key.id}, ${key.projectId}, ${key.prefix}, ${key.digest})
    returning created_at as "createdAt"`)

/** Revokes the newest key; undefined when it is revoked already. */
export const revokeNewestKey = (tx: Tx, projectId: string) =>
  tx.maybeOne<{ prefix: string }>(sql`
    update api_keys set revoked_at = clock_now()
    where project_id = ${projectId} and replaced_at is null and revoked_at is null returning prefix`)

/** Brings the newest key back; undefined when it is not revoked. */
export const restoreNewestKey = (tx: Tx, projectId: string) =>
  tx.maybeOne<{ prefix: string }>(sql`
    update api_keys set revoked_at = null
    where project_id = ${projectId} and replaced_at is null and revoked_at is not null returning prefix`)

/** Marks the newest key as replaced, which nothing undoes. */
export const replaceNewestKey = (tx: Tx, projectId: string) =>
  tx.maybeOne<{ prefix: string }>(sql`
    update api_keys set replaced_at = clock_now()
    where project_id = ${projectId} and replaced_at is null returning prefix`)
