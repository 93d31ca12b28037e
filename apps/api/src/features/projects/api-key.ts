import type { projects } from '@rolecall/contract'
import { digestOf, keyPrefixOf, mintToken } from '#platform/crypto/tokens'
import { uuidv7 } from '#platform/crypto/uuid'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { By, Deps } from '../../deps.ts'
import { toApiKeyInfo } from './project-record.ts'
import {
  findProject,
  insertApiKey,
  type LockedProject,
  lockProject,
  replaceNewestKey,
  restoreNewestKey,
  revokeNewestKey,
} from './store.ts'

type KeyDeps = Pick<Deps, 'db' | 'audit'>

/** What is known of a project's newest key; the key itself is known to nobody here. */
export async function readApiKey({ db }: Pick<Deps, 'db'>, projectId: string): Promise<projects.ApiKeyInfo> {
  const row = await findProject(db, projectId)
  if (!row) throw new ApiError('PROJECT_NOT_FOUND')
  return toApiKeyInfo(row)
}

/** Revokes the key. One that is revoked already stays as it is, and leaves no entry. */
export const revokeApiKey = (deps: KeyDeps, by: By, projectId: string) =>
  changeKey(deps, projectId, async (tx, project) => {
    const revoked = await revokeNewestKey(tx, projectId)
    if (!revoked) return
    await record(deps, tx, by, project, 'api_key.revoke', `The API key of ${project.name} was revoked.`, {
      status: { before: 'active', after: 'revoked' },
      prefix: { before: revoked.prefix, after: revoked.prefix },
    })
  })

/** Brings the newest key back. A key that a newer one replaced never comes back. */
export const restoreApiKey = (deps: KeyDeps, by: By, projectId: string) =>
  changeKey(deps, projectId, async (tx, project) => {
    const restored = await restoreNewestKey(tx, projectId)
    if (!restored) throw new ApiError('NO_REVOKED_KEY')
    await record(deps, tx, by, project, 'api_key.restore', `The API key of ${project.name} was restored.`, {
      status: { before: 'revoked', after: 'active' },
      prefix: { before: restored.prefix, after: restored.prefix },
    })
  })

/** Gives a project a new key. Of several at once the last one to get the project's lock has the key that works. */
export const regenerateApiKey = (deps: KeyDeps, by: By, projectId: string) =>
  changeKey(deps, projectId, async (tx, project) => {
    const replaced = await replaceNewestKey(tx, projectId)
    const { apiKey, prefix, createdAt } = await issueApiKey(tx, projectId)
    await record(deps, tx, by, project, 'api_key.regenerate', `${project.name} has a new API key.`, {
      prefix: { before: replaced?.prefix ?? null, after: prefix },
    })
    return { apiKey, prefix, createdAt: createdAt.toISOString() }
  })

/** Makes and stores a new key of a project. */
export async function issueApiKey(tx: Tx, projectId: string) {
  const apiKey = mintToken('apiKey')
  const prefix = keyPrefixOf(apiKey)
  const stored = await insertApiKey(tx, { id: uuidv7(), projectId, prefix, digest: digestOf(apiKey) })
  return { apiKey, prefix, createdAt: stored?.createdAt as Date }
}

function changeKey<T>(
  { db }: KeyDeps,
  projectId: string,
  change: (tx: Tx, project: LockedProject) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    const project = await lockProject(tx, projectId)
    if (!project) throw new ApiError('PROJECT_NOT_FOUND')
    return change(tx, project)
  })
}

const record = (
  { audit }: KeyDeps,
  tx: Tx,
  by: By,
  { id, name }: LockedProject,
  action: string,
  summary: string,
  changes: Record<string, { before: unknown; after: unknown }>,
) =>
  audit.record(tx, {
    ...by,
    actionType: 'project',
    action,
    target: { type: 'project', id, name },
    summary,
    changes,
  })
