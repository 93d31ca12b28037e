import type { MirrorDeps } from '../mirror-deps.ts'
import { retryUntilResponse } from './retry-until-response.ts'
import { syncMembers } from './sync-members.ts'
import { syncServer } from './sync-server.ts'

/** Reads a server with its roles and all its members from Discord into the mirror. Throws if that fails. */
export async function readWholeServer(deps: MirrorDeps, serverId: string, signal: AbortSignal) {
  const reportProgress = async () => signal.throwIfAborted()
  const request = <T>(send: () => Promise<T>) =>
    retryUntilResponse(send, { beforeWait: reportProgress, signal })
  const counts = { seen: 0, changed: 0, ended: 0 }
  await request(() => syncServer(deps, serverId))
  // Starts at the first member: before the gateway session began, no event reported changes.
  const place = { after: '0', unlisted: [] }
  await syncMembers(deps, { serverId, counts, place, reportProgress, request })
}
