import type { chatServers } from '@rolecall/contract'
import { uuidv7 } from '#platform/crypto/uuid'
import type { By } from '../../deps.ts'
import { type RunDeps, runMemberSync, type SyncedServer, SyncStopped, syncEntry } from './run-member-sync.ts'
import { abandonStaleSync, findRunningSync, insertSync } from './sync-store.ts'

export interface MemberSyncs {
  /** Begins to read a server's members in the background, or answers the run that is under way. */
  start(server: SyncedServer, by: By): Promise<chatServers.MemberSync>
  /** Breaks off what this instance runs, and waits until that is recorded. */
  stop(): Promise<void>
}

/** Member syncs, at most one at a time and server on whatever instance. Each leaves one audit entry, at its end. */
export function createMemberSyncs(deps: RunDeps): MemberSyncs {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()

  const runInBackground = (id: string, server: SyncedServer, by: By) => {
    const run = runMemberSync(deps, { id, server, by, signal: stopping.signal })
      .catch((error: unknown) =>
        deps.log.error({ err: error, serverId: server.id }, 'the end of a member sync could not be recorded'),
      )
      .finally(() => running.delete(run))
    running.add(run)
  }

  return {
    async start(server, by) {
      for (;;) {
        const id = uuidv7()
        const sync = await begin(deps, id, server)
        if (sync?.id === id) runInBackground(id, server, by)
        // Without one, the run that was under way ended between two statements: there is room now.
        if (sync) return sync
      }
    },
    async stop() {
      stopping.abort(new SyncStopped('The instance that read them was stopped.'))
      await Promise.all(running)
    },
  }
}

/** The run that is under way now: ours if it has this id. */
const begin = ({ db, audit }: RunDeps, id: string, server: SyncedServer) =>
  db.transaction(async (tx) => {
    const problem = 'The process that read them is gone.'
    if ((await abandonStaleSync(tx, server.id, problem)) > 0)
      await audit.record(tx, syncEntry(server, problem))
    return ((await insertSync(tx, id, server.id)) ?? (await findRunningSync(tx, server.id)))?.sync
  })
