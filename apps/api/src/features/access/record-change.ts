import { uuidv7 } from '#platform/crypto/uuid'
import type { Tx } from '#platform/db/database'
import type { By, Deps } from '../../deps.ts'
import { type AccessProject, type AccessServer, type AccessState, appendTrail } from './store.ts'

export interface AccessChange {
  readonly project: AccessProject
  readonly server: AccessServer
  /** Null for a grant. */
  readonly before: AccessState | null
  /** Null for a revocation. */
  readonly after: AccessState | null
}

/** Writes a change to the trail of access, in its transaction. */
export const recordTrail = (tx: Tx, { actor }: By, { project, server, before, after }: AccessChange) =>
  appendTrail(tx, {
    id: uuidv7(),
    action: before === null ? 'GRANT' : after === null ? 'REVOKE' : 'UPDATE',
    project,
    server,
    actorId: actor?.id ?? null,
    actorUsername: actor?.username ?? null,
    before,
    after,
  })

/** Writes a change to the trail and to the audit log, in its transaction. */
export async function recordChange(
  tx: Tx,
  { audit }: Pick<Deps, 'audit'>,
  by: By,
  change: AccessChange,
): Promise<void> {
  const { project, server, before, after } = change
  await recordTrail(tx, by, change)
  const [action, verb] =
    before === null
      ? (['access.grant', 'granted'] as const)
      : after === null
        ? (['access.revoke', 'revoked'] as const)
        : (['access.update', 'changed'] as const)
  await audit.record(tx, {
    ...by,
    actionType: 'permission',
    action,
    target: { type: 'project', id: project.id, name: project.name },
    summary: `Access of ${project.name} to ${server.name} was ${verb}.`,
    changes: {
      serverId: { before: before && server.id, after: after && server.id },
      operations: { before: before?.operations ?? null, after: after?.operations ?? null },
      scopes: { before: before?.scopes ?? null, after: after?.scopes ?? null },
    },
  })
}
