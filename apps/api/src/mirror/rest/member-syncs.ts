import { randomUUID } from 'node:crypto'
import type { chatServers } from '@rolecall/contract'
import type { By } from '#audit/event'
import { uuidv7 } from '#platform/crypto/uuid'
import { DatabaseUnavailable } from '#platform/db/database'
import type { MirrorDeps } from '../mirror-deps.ts'
import { type Run, runMemberSync, type SyncedServer } from './run-member-sync.ts'
import { findRunningSync, insertSync, takeOverSyncs } from './sync-store.ts'

/** The interval at which an instance looks for abandoned syncs. */
const checkEveryMs = 30_000

/** Runs the member syncs that administrators start. */
export interface MemberSyncs {
  /**
   * Starts to read all members of a server in the background. If a sync of the server is in progress, returns that one.
   */
  start(server: SyncedServer, by: By): Promise<chatServers.MemberSync>
  /** Continues abandoned syncs, now and every `checkEveryMs`. */
  watch(): void
  /** Stops the syncs of this instance, so that other instances can continue them immediately. */
  stop(): Promise<void>
}

/**
 * Creates the runner of member syncs: at most one at a time per server, over all instances. Each writes one audit entry
 * when it ends.
 */
export function createMemberSyncs(deps: MirrorDeps): MemberSyncs {
  const { db, log } = deps
  const runner = randomUUID()
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let watching: NodeJS.Timeout | undefined

  const runInBackground = (run: Run) => {
    const done = runMemberSync(deps, run, stopping.signal)
      .catch((error: unknown) => {
        if (!(error instanceof DatabaseUnavailable))
          log.error({ err: error, serverId: run.server.id }, 'member sync end not recorded: internal error')
      })
      .finally(() => running.delete(done))
    running.add(done)
  }
  const takeOver = async () => {
    if (stopping.signal.aborted) return
    for (const { id, serverId, serverName, by, after, unlisted, seen, changed, ended } of await takeOverSyncs(
      db,
      runner,
    )) {
      log.info({ serverId, seen }, 'member sync taken over: its process stopped')
      const server = { id: serverId, name: serverName }
      const [counts, place] = [
        { seen, changed, ended },
        { after, unlisted },
      ]
      runInBackground({ id, runner, server, by, counts, place })
    }
  }

  return {
    async start(server, by) {
      await takeOver()
      for (;;) {
        const id = uuidv7()
        const sync = await begin(deps, { id, serverId: server.id, runner, by })
        if (sync?.id === id) {
          const [counts, place] = [
            { seen: 0, changed: 0, ended: 0 },
            { after: '0', unlisted: [] },
          ]
          runInBackground({ id, runner, server, by, counts, place })
        }
        // Without a row, the sync in progress has ended between the two statements, so a new one can begin.
        if (sync) return sync
      }
    },
    watch() {
      const takeOverSafely = () =>
        takeOver().catch((error: unknown) => {
          if (!(error instanceof DatabaseUnavailable))
            log.error({ err: error }, 'member sync takeover failed: internal error')
        })
      takeOverSafely()
      watching = setInterval(takeOverSafely, checkEveryMs)
      watching.unref()
    },
    async stop() {
      clearInterval(watching)
      stopping.abort()
      await Promise.all(running)
    },
  }
}

/** Inserts a sync. If one is in progress, returns that one, which has another ID. */
const begin = ({ db }: MirrorDeps, run: Parameters<typeof insertSync>[1]) =>
  db.transaction(
    async (tx) => ((await insertSync(tx, run)) ?? (await findRunningSync(tx, run.serverId)))?.sync,
  )
