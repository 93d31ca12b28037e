import type { access } from '@rolecall/contract'
import type { By } from '#audit/event'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import {
  allScopes,
  defaultOperations,
  findServers,
  type Grant,
  inOrder,
  insertTrailEntry,
  listMappings,
  lockProject,
  upsertMapping,
} from './store.ts'

/** The access to grant. Omitted fields stay as they are or, for a new mapping, get their defaults. */
export interface GrantAccess {
  readonly projectId: string
  readonly serverId: string
  readonly operations?: { readonly [O in keyof access.Operations]?: boolean | undefined } | undefined
  readonly scopes?: readonly access.Scope[] | undefined
}

/**
 * Grants a project access to a server, or changes this access. Returns the mapping. If nothing changes, writes no audit
 * entry and no entry of the access trail.
 *
 * @throws PROJECT_NOT_FOUND, SERVER_NOT_FOUND
 */
export async function grantAccess({ db, audit }: Pick<Deps, 'db' | 'audit'>, by: By, wanted: GrantAccess) {
  return db.transaction(async (tx) => {
    const project = await lockProject(tx, wanted.projectId)
    if (!project) throw new ApiError('PROJECT_NOT_FOUND')
    const [server] = await findServers(tx, [wanted.serverId])
    if (!server) throw new ApiError('SERVER_NOT_FOUND')
    const before = await findMapping(tx, wanted)
    const after = merged(before, wanted)
    if (before && isSame(before, after)) return before

    const action = before ? 'UPDATE' : 'GRANT'
    await upsertMapping(tx, project.id, server.id, after)
    await insertTrailEntry(tx, { action, project, server, actor: by.actor, before: grantOf(before), after })
    await audit.record(tx, {
      ...by,
      actionType: 'permission',
      action: before ? 'access.update' : 'access.grant',
      target: { type: 'project', id: project.id, name: project.name },
      summary: `${project.name} may use ${server.name}: ${describe(after)}.`,
      changes: { [`server ${server.id}`]: { before: grantOf(before), after } },
    })
    return findMapping(tx, wanted)
  })
}

const findMapping = async (tx: Tx, { projectId, serverId }: GrantAccess) =>
  (await listMappings(tx, { projectIds: [projectId], serverId }))[0]

function merged(before: Grant | undefined, { operations = {}, scopes }: GrantAccess): Grant {
  const kept = before?.operations ?? defaultOperations
  return {
    operations: {
      READ: operations.READ ?? kept.READ,
      SEND_MESSAGES: operations.SEND_MESSAGES ?? kept.SEND_MESSAGES,
      MANAGE_WEBHOOKS: operations.MANAGE_WEBHOOKS ?? kept.MANAGE_WEBHOOKS,
    },
    scopes: scopes ? inOrder(scopes) : (before?.scopes ?? allScopes),
  }
}

/** Returns the part of a mapping that the audit log and the access trail show. */
export const grantOf = (grant: Grant | undefined): Grant | null =>
  grant ? { operations: grant.operations, scopes: grant.scopes } : null

const isSame = (a: Grant, b: Grant) => JSON.stringify(grantOf(a)) === JSON.stringify(grantOf(b))

/** Lists the operations and scopes of a grant for the audit entry. */
function describe({ operations, scopes }: Grant): string {
  const granted = Object.entries(operations).flatMap(([name, isOn]) => (isOn ? [name] : []))
  return [...granted, ...scopes].join(', ') || 'nothing'
}
