import type { access, apiKeys, forwardAuth, projects } from '@rolecall/contract'
import type { KeyRow } from './key-store.ts'
import { maskedAddress } from './oidc.ts'
import type { ProjectRow } from './store.ts'
import { maskedWebhookUrl } from './webhook-url.ts'

/** Converts projects to the form of the contract, in the order of the rows, each with its access to servers. */
export function toProjects(
  rows: readonly ProjectRow[],
  mappings: readonly access.AccessMapping[],
  rules: ReadonlyMap<string, forwardAuth.ForwardAuth>,
) {
  const byProject = new Map<string, access.AccessMapping[]>(rows.map(({ id }) => [id, []]))
  for (const mapping of mappings) byProject.get(mapping.projectId)?.push(mapping)
  return rows.map((row) => toProject(row, byProject.get(row.id) ?? [], rules.get(row.id)))
}

/** Converts a project to the form of the contract. Throws if its protected hosts were not read. */
export function toProject(
  row: ProjectRow,
  serverAccess: access.AccessMapping[],
  forwardAuth: forwardAuth.ForwardAuth | undefined,
): projects.Project {
  if (!forwardAuth) throw new Error('The protected hosts of the project were not read.')
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    isActive: row.isActive,
    isInternal: row.isInternal,
    branding: { accentColor: row.accentColor, hasLogo: row.hasLogo },
    redirectUris: row.redirectUris,
    webhookUrl: maskedWebhookUrl(row),
    eventsUrl: row.eventsUrl,
    eventsDisabledAt: row.eventsDisabledAt?.toISOString() ?? null,
    owners: row.owners,
    forwardAuth,
    groupNames: row.groupNames,
    onlyNamedGroups: row.onlyNamedGroups,
    apiKey: toKeyInfo(row),
    serverAccess,
    oidc: row.oidc,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/**
 * Masks a project for an auditor, who may only read. Addresses that may contain a token of their receiver are shown up
 * to the host.
 */
export const forAuditor = (project: projects.Project): projects.Project => ({
  ...project,
  eventsUrl: maskedAddress(project.eventsUrl),
  oidc: { ...project.oidc, backchannelLogoutUri: maskedAddress(project.oidc.backchannelLogoutUri) },
})

/** Describes the newest API key of a project. Contains only the prefix of the key. */
export const toKeyInfo = (row: ProjectRow): apiKeys.ApiKeyInfo => ({
  prefix: row.keyPrefix,
  status: row.keyIsExpired ? 'expired' : row.keyRevokedAt ? 'revoked' : 'active',
  createdAt: row.keyCreatedAt.toISOString(),
  lastUsedAt: row.keyLastUsedAt?.toISOString() ?? null,
  revokedAt: row.keyRevokedAt?.toISOString() ?? null,
})

/** Converts an API key to the form of the contract. Contains only the prefix of the key. */
export const toProjectKey = (row: KeyRow): apiKeys.ProjectKey => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  replacedAt: row.replacedAt?.toISOString() ?? null,
  expiresAt: row.expiresAt?.toISOString() ?? null,
  revokedAt: row.revokedAt?.toISOString() ?? null,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
})
