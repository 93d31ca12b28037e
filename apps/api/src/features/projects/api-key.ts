import type { By } from '#audit/event'
import { digestOf, keyPrefixOf, mintToken } from '#platform/crypto/tokens'
import { uuidv7 } from '#platform/crypto/uuid'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { changeProject } from './change-project.ts'
import { insertApiKey, replaceNewestKey, restoreNewestKey, revokeNewestKey } from './store.ts'

type KeyDeps = Pick<Deps, 'db' | 'audit'>

/** Makes and stores a new key of a project; the key itself is answered and forgotten. */
export async function issueApiKey(tx: Tx, projectId: string) {
  const apiKey = mintToken('apiKey')
  const prefix = keyPrefixOf(apiKey)
  const stored = await insertApiKey(tx, { id: uuidv7(), projectId, prefix, digest: digestOf(apiKey) })
  if (!stored) throw new Error('A key was not stored.')
  return { apiKey, prefix, createdAt: stored.createdAt.toISOString() }
}

/** Replaces the key: the old one stops working with this commit, and never comes back. */
export const regenerateApiKey = (deps: KeyDeps, by: By, projectId: string) =>
  changeProject(deps, projectId, async (tx, project, record) => {
    await replaceNewestKey(tx, projectId)
    const issued = await issueApiKey(tx, projectId)
    await record({
      ...by,
      action: 'key.regenerate',
      summary: `The API key of ${project.name} was replaced.`,
      changes: { prefix: { before: project.keyPrefix, after: issued.prefix } },
    })
    return issued
  })

/** Revokes the key; a revoked one stays as it is, without a second entry. */
export const revokeApiKey = (deps: KeyDeps, by: By, projectId: string) =>
  changeProject(deps, projectId, async (tx, project, record) => {
    if ((await revokeNewestKey(tx, projectId)) === 0) return
    await record({ ...by, action: 'key.revoke', summary: `The API key of ${project.name} was revoked.` })
  })

/** Brings the newest key back after it was revoked; older ones are gone for good. */
export const restoreApiKey = (deps: KeyDeps, by: By, projectId: string) =>
  changeProject(deps, projectId, async (tx, project, record) => {
    if ((await restoreNewestKey(tx, projectId)) === 0) throw new ApiError('NO_REVOKED_KEY')
    await record({ ...by, action: 'key.restore', summary: `The API key of ${project.name} was restored.` })
  })
