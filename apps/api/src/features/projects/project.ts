import type { access, projects } from '@rolecall/contract'
import type { KeyRow } from './key-store.ts'
import type { ProjectRow } from './store.ts'
import { maskedWebhookUrl } from './webhook-url.ts'

/** Records in the order of the rows, each with its own of all of their mappings. */
export function toProjects(rows: readonly ProjectRow[], mappings: readonly access.AccessMapping[]) {
  const byProject = new Map<string, access.AccessMapping[]>(rows.map(({ id }) => [id, []]))
  for (const mapping of mappings) byProject.get(mapping.projectId)?.push(mapping)
  return rows.map((row) => toProject(row, byProject.get(row.id) ?? []))
}

/** The record of a project as admins see it. */
export function toProject(row: ProjectRow, serverAccess: access.AccessMapping[]): projects.Project {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    isActive: row.isActive,
    isInternal: row.isInternal,
    redirectUris: row.redirectUris,
    webhookUrl: maskedWebhookUrl(row),
    apiKey: toKeyInfo(row),
    serverAccess,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** The newest key: never more than its prefix. */
export const toKeyInfo = (row: ProjectRow): projects.ApiKeyInfo => ({
  prefix: row.keyPrefix,
  status: row.keyIsExpired ? 'expired' : row.keyRevokedAt ? 'revoked' : 'active',
  createdAt: row.keyCreatedAt.toISOString(),
  lastUsedAt: row.keyLastUsedAt?.toISOString() ?? null,
  revokedAt: row.keyRevokedAt?.toISOString() ?? null,
})

/** A key as it may be shown. */
export const toProjectKey = (row: KeyRow): projects.ProjectKey => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  replacedAt: row.replacedAt?.toISOString() ?? null,
  expiresAt: row.expiresAt?.toISOString() ?? null,
  revokedAt: row.revokedAt?.toISOString() ?? null,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
})
