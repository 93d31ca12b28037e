import type { access, ProblemDetail } from '@rolecall/contract'
import type { By } from '#audit/event'
import type { Tx } from '#platform/db/database'
import {
  allScopes,
  defaultOperations,
  findServers,
  inOrder,
  insertTrailEntry,
  type Named,
  upsertMapping,
} from './store.ts'

type Wanted = readonly { readonly serverId: string; readonly scopes?: readonly access.Scope[] | undefined }[]

/**
 * Prepares the access of a project that is about to be created, to the named servers or, if none are named, to the main
 * server. Returns the problems of the input, and a function that grants the access in the project's transaction. The
 * audit entry of the project covers this access.
 */
export async function planInitialAccess(tx: Tx, wanted: Wanted | undefined) {
  const servers = await findServers(
    tx,
    wanted?.map(({ serverId }) => serverId),
  )
  return {
    problems: complaints(wanted ?? [], servers),
    grant: async (by: By, project: Named) => {
      for (const server of servers) {
        const scopes = wanted?.find(({ serverId }) => serverId === server.id)?.scopes ?? allScopes
        const after = { operations: defaultOperations, scopes: inOrder(scopes) }
        await upsertMapping(tx, project.id, server.id, after)
        await insertTrailEntry(tx, { action: 'GRANT', project, server, actor: by.actor, before: null, after })
      }
    },
  }
}

const complaints = (wanted: Wanted, servers: readonly Named[]) =>
  wanted.flatMap(({ serverId }, i): ProblemDetail[] => {
    const path = `/serverAccess/${i}/serverId`
    if (!servers.some(({ id }) => id === serverId)) {
      return [{ path, message: 'is not a registered server', code: 'UNKNOWN_SERVER' }]
    }
    const isRepeated = wanted.findIndex((one) => one.serverId === serverId) !== i
    return isRepeated ? [{ path, message: 'is listed twice', code: 'DUPLICATE' }] : []
  })
