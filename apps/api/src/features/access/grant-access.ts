import type { access, ProblemDetail } from '@rolecall/contract'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/router'
import type { By, Deps } from '../../deps.ts'
import {
  allScopes,
  defaultOperations,
  findServers,
  type Grant,
  insertTrailEntry,
  listMappings,
  lockProject,
  type Named,
  upsertMapping,
} from './store.ts'

export interface GrantAccess {
  readonly projectId: string
  readonly serverId: string
  readonly operations?: { readonly [O in keyof access.Operations]?: boolean | undefined } | undefined
  readonly scopes?: readonly access.Scope[] | undefined
}

/**
 * Lets a project use a server, or changes what it may do there. What is left out stays; what changes
 * nothing leaves no trace.
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

/**
 * The first grants of a project that is being created; part of its transaction and of its audit entry.
 * `wanted` undefined is all scopes on every main server.
 */
export async function grantInitialAccess(
  tx: Tx,
  by: By,
  project: Named,
  wanted:
    | readonly { readonly serverId: string; readonly scopes?: readonly access.Scope[] | undefined }[]
    | undefined,
): Promise<void> {
  const servers = await findServers(
    tx,
    wanted?.map(({ serverId }) => serverId),
  )
  refuseUnknown(wanted ?? [], servers)
  for (const server of servers) {
    const scopes = wanted?.find(({ serverId }) => serverId === server.id)?.scopes ?? allScopes
    const after = { operations: defaultOperations, scopes }
    await upsertMapping(tx, project.id, server.id, after)
    await insertTrailEntry(tx, { action: 'GRANT', project, server, actor: by.actor, before: null, after })
  }
}

function refuseUnknown(wanted: readonly { serverId: string }[], servers: readonly Named[]) {
  const problems = wanted.flatMap(({ serverId }, i): ProblemDetail[] => {
    const path = `/serverAccess/${i}/serverId`
    if (!servers.some(({ id }) => id === serverId)) {
      return [{ path, message: 'is not a registered server', code: 'UNKNOWN_SERVER' }]
    }
    const isRepeated = wanted.findIndex((one) => one.serverId === serverId) !== i
    return isRepeated ? [{ path, message: 'is named twice', code: 'DUPLICATE' }] : []
  })
  if (problems.length > 0) throw invalid(problems)
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
    // One order, so that the same set is the same value.
    scopes: scopes ? allScopes.filter((scope) => scopes.includes(scope)) : (before?.scopes ?? allScopes),
  }
}

export const grantOf = (grant: Grant | undefined): Grant | null =>
  grant ? { operations: grant.operations, scopes: grant.scopes } : null

const isSame = (a: Grant, b: Grant) => JSON.stringify(grantOf(a)) === JSON.stringify(grantOf(b))

function describe({ operations, scopes }: Grant): string {
  const granted = Object.entries(operations).flatMap(([name, isOn]) => (isOn ? [name] : []))
  return [...granted, ...scopes].join(', ') || 'nothing'
}
