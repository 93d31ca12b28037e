import type { chatServers } from '@rolecall/contract'
import type { AuditEvent, By } from '#audit/event'
import { ChatPlatformError } from '#chat/chat-platform'
import { DatabaseUnavailable } from '#platform/db/database'
import type { MirrorDeps } from '../mirror-deps.ts'
import { retryUntilResponse } from './retry-until-response.ts'
import { syncMembers } from './sync-members.ts'
import { syncServer } from './sync-server.ts'
import {
  finishSync,
  type OwnSync,
  releaseSync,
  type SyncCounts,
  type SyncPlace,
  storeProgress,
} from './sync-store.ts'

/** The server whose members are read. */
export type SyncedServer = Pick<chatServers.ChatServer, 'id' | 'name'>

/** Thrown to stop a sync. The message appears in the audit log. */
export class SyncStopped extends Error {
  override readonly name = 'SyncStopped'
}

/** A sync that this instance runs. */
export interface Run extends OwnSync {
  readonly server: SyncedServer
  readonly by: By
  /** The counts so far. They are not zero if this instance continues a sync. */
  readonly counts: SyncCounts
  readonly place: SyncPlace
}

/**
 * Runs a member sync from its current place. Records its end in the audit log, whether it succeeds or fails. If this
 * instance stops, the sync does not end: another instance continues it from its place.
 */
export async function runMemberSync(deps: MirrorDeps, run: Run, signal: AbortSignal): Promise<void> {
  const { server, by, counts, place } = run
  const reportProgress = async () => {
    signal.throwIfAborted()
    if ((await storeProgress(deps.db, run, counts, place)) === 0)
      throw new SyncStopped('The server was removed, or another instance continued the sync.')
  }
  const request = <T>(send: () => Promise<T>) =>
    retryUntilResponse(send, { beforeWait: reportProgress, signal })
  let problem: string | undefined
  try {
    await request(() => syncServer(deps, server.id))
    await syncMembers(deps, { serverId: server.id, counts, place, reportProgress, request })
  } catch (error) {
    // The end could not be written. Once the database is back, an instance continues the sync.
    if (error instanceof DatabaseUnavailable) throw error
    if (signal.aborted) return void (await releaseSync(deps.db, run))
    problem = syncFailureText(error)
    deps.log.warn({ err: error, serverId: server.id, ...counts }, 'member sync failed')
  }
  await deps.db.transaction(async (tx) => {
    const finished = await finishSync(tx, run, counts, problem ?? null)
    if (!finished) return
    const summary = `${counts.seen} seen, ${counts.changed} written, ${counts.ended} ended, in ${finished.seconds.toFixed(1)} s.`
    await deps.audit.record(tx, { ...by, ...syncEntry(server, problem, summary) })
  })
}

/** Returns the audit entry of a sync: its counts, and the reason of a failure. */
const syncEntry = (server: SyncedServer, problem: string | undefined, summary: string): AuditEvent => ({
  actionType: 'sync',
  action: 'server.sync',
  severity: problem === undefined ? 'info' : 'error',
  target: { type: 'server', id: server.id, name: server.name },
  summary:
    `${problem === undefined ? 'The' : 'Not all'} members of ${server.name} were read. ${problem ?? ''} ${summary}`
      .replaceAll(/ +/g, ' ')
      .trim(),
})

/**
 * Returns the reason of a failure for the audit log, without addresses and bodies. The log of the service contains the
 * whole error.
 */
function syncFailureText(error: unknown): string {
  const isPublic = error instanceof SyncStopped || error instanceof ChatPlatformError
  return isPublic ? error.message : 'An internal error occurred.'
}
