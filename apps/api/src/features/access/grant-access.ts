import { isDeepStrictEqual } from 'node:util'
import type { access } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import type { By, Deps } from '../../deps.ts'
import { allScopes, defaultState, findAccess, stateOf } from './access-mapping.ts'
import { recordChange } from './record-change.ts'
import { findServer, lockProject, upsertAccess } from './store.ts'

export interface GrantAccess {
  readonly projectId: string
  readonly serverId: string
  readonly operations?: Partial<access.Operations>
  readonly scopes?: readonly access.Scope[]
}

/**
 * Lets a project use a server, or changes how. Whatever is left out stays as it is, or is the default of a
 * new mapping. Nothing is written when nothing changes.
 */
export async function grantAccess(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  by: By,
  { projectId, serverId, operations, scopes }: GrantAccess,
): Promise<access.AccessMapping> {
  return db.transaction(async (tx) => {
    const project = await lockProject(tx, projectId)
    if (!project) throw new ApiError('PROJECT_NOT_FOUND')
    const server = await findServer(tx, serverId)
    if (!server) throw new ApiError('SERVER_NOT_FOUND')

    const existing = await findAccess(tx, projectId, serverId)
    const before = existing ? stateOf(existing) : null
    const kept = before ?? defaultState
    const after = {
      operations: { ...kept.operations, ...operations },
      scopes: scopes ? allScopes.filter((scope) => scopes.includes(scope)) : kept.scopes,
    }
    if (existing && isDeepStrictEqual(before, after)) return existing
    await upsertAccess(tx, projectId, serverId, after)
    await recordChange(tx, { audit }, by, { project, server, before, after })
    return (await findAccess(tx, projectId, serverId)) as access.AccessMapping
  })
}
