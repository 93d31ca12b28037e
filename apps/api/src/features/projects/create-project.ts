import { digestOf, keyPrefixOf, mintToken } from '#platform/crypto/tokens'
import { uuidv7 } from '#platform/crypto/uuid'
import type { Tx } from '#platform/db/database'
import type { By, Deps } from '../../deps.ts'
import { insertApiKey, insertProject } from './store.ts'

export interface CreateProject {
  readonly name: string
  readonly description?: string | null
  readonly isActive?: boolean
  readonly isInternal?: boolean
  readonly redirectUris?: readonly string[]
}

/** Registers a project with its first key, which is answered this once and stored only as a digest. */
export async function createProject(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  by: By,
  input: CreateProject,
): Promise<{ id: string; apiKey: string }> {
  return db.transaction(async (tx) => {
    const id = uuidv7()
    await insertProject(tx, {
      id,
      name: input.name,
      description: input.description ?? null,
      isActive: input.isActive ?? true,
      isInternal: input.isInternal ?? false,
      redirectUris: input.redirectUris ?? [],
    })
    const { apiKey } = await issueApiKey(tx, id)
    await audit.record(tx, {
      ...by,
      actionType: 'project',
      action: 'project.create',
      target: { type: 'project', id, name: input.name },
      summary: `Project ${input.name} was created.`,
    })
    return { id, apiKey }
  })
}

/** Makes and stores a new key of a project. */
export async function issueApiKey(tx: Tx, projectId: string) {
  const apiKey = mintToken('apiKey')
  const prefix = keyPrefixOf(apiKey)
  const stored = await insertApiKey(tx, { id: uuidv7(), projectId, prefix, digest: digestOf(apiKey) })
  return { apiKey, prefix, createdAt: stored?.createdAt as Date }
}
