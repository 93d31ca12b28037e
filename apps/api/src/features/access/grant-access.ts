import type { By, Deps } from '../../deps.ts'
import { allScopes, defaultOperations, insertAccess, type Operations, type Scope } from './store.ts'

export interface GrantAccess {
  readonly projectId: string
  readonly serverId: string
  readonly operations?: Partial<Operations>
  readonly scopes?: readonly Scope[]
}

/** Lets a project use a server. */
export async function grantAccess({ db, audit }: Pick<Deps, 'db' | 'audit'>, by: By, input: GrantAccess) {
  await db.transaction(async (tx) => {
    await insertAccess(tx, {
      projectId: input.projectId,
      serverId: input.serverId,
      operations: { ...defaultOperations, ...input.operations },
      scopes: input.scopes ?? allScopes,
    })
    await audit.record(tx, {
      ...by,
      actionType: 'permission',
      action: 'access.grant',
      target: { type: 'project', id: input.projectId },
      summary: `Access to server ${input.serverId} was granted.`,
    })
  })
}
