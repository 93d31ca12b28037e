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
 * Looks up the servers of a project that is about to be created; if none are named, all main servers. Returns the
 * problems with them, and a function that grants them as a part of the creation and of its audit entry.
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
