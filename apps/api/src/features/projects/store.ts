import type { Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

export interface NewProject {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly isActive: boolean
  readonly isInternal: boolean
  readonly redirectUris: readonly string[]
}

export const insertProject = (tx: Tx, project: NewProject) =>
  tx.execute(sql`
    insert into projects (id, name, description, is_internal, redirect_uris, deactivated_at)
    values (${project.id}, ${project.name}, ${project.description}, ${project.isInternal},
      ${project.redirectUris}::text[], case when ${project.isActive} then null else clock_now() end)`)

export const insertApiKey = (
  tx: Tx,
  key: { id: string; projectId: string; prefix: string; digest: string },
) =>
  tx.maybeOne<{ createdAt: Date }>(sql`
    insert into api_keys (id, project_id, prefix, digest)
    values (${key.id}, ${key.projectId}, ${key.prefix}, ${key.digest})
    returning created_at as "createdAt"`)
