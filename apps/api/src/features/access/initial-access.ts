import type { access, ProblemDetail } from '@rolecall/contract'
import type { Tx } from '#platform/db/database'
import type { By } from '../../deps.ts'
import { allScopes, defaultState } from './access-mapping.ts'
import { recordTrail } from './record-change.ts'
import { type AccessProject, type AccessServer, findServers, upsertAccess } from './store.ts'

interface Wanted {
  readonly serverId: string
  readonly scopes?: readonly access.Scope[]
}

/**
 * Looks up the servers that a new project should have: every main server when none are named. Mapping it to
 * them is part of its creation, so it shows in the trail, and in the audit log as the creation only.
 */
export async function planInitialAccess(tx: Tx, wanted: readonly Wanted[] | undefined) {
  const found = await findServers(tx, wanted?.map(({ serverId }) => serverId) ?? [])
  const servers = new Map<string, AccessServer>(found.map((server) => [server.id, server]))
  const grants =
    wanted ?? found.filter(({ isMain }) => isMain).map(({ id }) => ({ serverId: id, scopes: allScopes }))
  return {
    problems: complaints(grants, servers),
    grant: async (by: By, project: AccessProject) => {
      for (const { serverId, scopes = allScopes } of grants) {
        const after = { ...defaultState, scopes: allScopes.filter((scope) => scopes.includes(scope)) }
        await upsertAccess(tx, project.id, serverId, after)
        const server = servers.get(serverId) as AccessServer
        await recordTrail(tx, by, { project, server, before: null, after })
      }
    },
  }
}

function complaints(grants: readonly Wanted[], servers: ReadonlyMap<string, unknown>): ProblemDetail[] {
  return grants.flatMap(({ serverId }, i) => {
    const path = `/serverAccess/${i}/serverId`
    const isRepeated = grants.findIndex((other) => other.serverId === serverId) < i
    if (isRepeated) return [{ path, message: 'is named twice', code: 'DUPLICATE' }]
    if (!servers.has(serverId)) return [{ path, message: 'is no registered server', code: 'UNKNOWN_SERVER' }]
    return []
  })
}
