import type { access, projects } from '@rolecall/contract'
import type { Queryable } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import { findProject, type ProjectRow } from './store.ts'
import { masked } from './webhook-url.ts'

/** The mappings of these projects, newest first; `app.ts` passes it. */
export type ListAccess = (db: Queryable, projectIds: readonly string[]) => Promise<access.AccessMapping[]>

/** A project as the administration shows it. */
export async function readProjectRecord(
  { db, listAccess }: { db: Queryable; listAccess: ListAccess },
  id: string,
): Promise<projects.Project> {
  const row = await findProject(db, id)
  if (!row) throw new ApiError('PROJECT_NOT_FOUND')
  const [project] = await withAccess({ db, listAccess }, [row])
  return project as projects.Project
}

/** Records of these rows, in their order; one statement for all of their mappings. */
export async function withAccess(
  { db, listAccess }: { db: Queryable; listAccess: ListAccess },
  rows: readonly ProjectRow[],
): Promise<projects.Project[]> {
  const mappings = await listAccess(
    db,
    rows.map(({ id }) => id),
  )
  const byProject = new Map<string, access.AccessMapping[]>(rows.map(({ id }) => [id, []]))
  for (const mapping of mappings) byProject.get(mapping.projectId)?.push(mapping)
  return rows.map((row) => toProject(row, byProject.get(row.id) ?? []))
}

const toProject = (row: ProjectRow, serverAccess: access.AccessMapping[]): projects.Project => ({
  id: row.id,
  name: row.name,
  description: row.description,
  isActive: row.isActive,
  isInternal: row.isInternal,
  redirectUris: [...row.redirectUris],
  webhookUrl: masked(row.webhookUrlOrigin),
  apiKey: toApiKeyInfo(row),
  serverAccess,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

/** What may be known of a key. */
export const toApiKeyInfo = (row: ProjectRow): projects.ApiKeyInfo => ({
  prefix: row.keyPrefix,
  status: row.keyRevokedAt ? 'revoked' : 'active',
  createdAt: row.keyCreatedAt.toISOString(),
  lastUsedAt: row.keyLastUsedAt?.toISOString() ?? null,
  revokedAt: row.keyRevokedAt?.toISOString() ?? null,
})
