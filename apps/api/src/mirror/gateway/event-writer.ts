import { setTimeout as sleep } from 'node:timers/promises'
import type { EventPosition } from '#chat/chat-gateway'
import { DatabaseUnavailable } from '#platform/db/database'
import type { MirrorDeps } from '../mirror-deps.ts'
import { createEventQueue, type Received } from './event-queue.ts'
import { createRoleRemovals } from './role-removals.ts'
import { LeadershipLost, runAsLeader } from './store.ts'
import { writeEvents } from './write-events.ts'

/** The maximum number of events in a transaction, so that other work gets its turn on the embedded database. */
const maxBatchSize = 200
/** The pause between two batches. Events that arrive during it share the next batch. */
const batchPauseMs = 10
const retryAfterMs = 250

interface EventWriterHandlers {
  /** Members of these servers hold a role that the mirror does not know. */
  rolesUnknown(serverIds: readonly string[]): void
  /** Events of these servers will never be written, so the servers must be read again. */
  eventsLost(serverIds: ReadonlySet<string>): void
  /** Events must wait, because the database is unavailable. */
  delayed(): void
  /** This instance is no longer the leader. */
  leadershipLost(): void
}

/**
 * Creates the writer of received events: it writes them to the mirror, in batches and in the background, while this
 * instance is the leader of `epoch`.
 */
export function createEventWriter(
  deps: Pick<MirrorDeps, 'db' | 'log' | 'audit' | 'endSessions'>,
  epoch: number,
  handlers: EventWriterHandlers,
) {
  const { db, log } = deps
  const queue = createEventQueue()
  const removals = createRoleRemovals(deps, epoch)
  let writing: Promise<void> | undefined
  let unwritten: readonly Received[] = []
  /**
   * The servers with events that this leader has dropped. `lastPositions` leaves them out for the rest of its term. The
   * last written event of such a server is not recorded, so repeated events are not skipped.
   */
  const incomplete = new Set<string>()
  let isClosing = false

  const write = () => {
    writing ??= writeAll().finally(() => {
      writing = undefined
      // An event may have arrived after the last check of the queue.
      if (queue.size() > 0 && !isClosing) write()
    })
  }
  const writeAll = async () => {
    while (!isClosing && queue.size() > 0) {
      unwritten = queue.dequeue(maxBatchSize)
      if (!(await writeBatch(unwritten))) return
      queue.markSettled(unwritten)
      unwritten = []
      // After a full batch, the next one follows without a pause. The embedded engine always gets one, because it has a
      // single connection for all work.
      if (queue.size() < maxBatchSize || db.engine === 'pglite') await sleep(batchPauseMs)
    }
  }
  const markIncomplete = (serverIds: ReadonlySet<string>) => {
    for (const serverId of serverIds) incomplete.add(serverId)
    handlers.eventsLost(serverIds)
  }
  /** Writes a batch. Returns false if this instance is no longer the leader. */
  const writeBatch = async (batch: readonly Received[]): Promise<boolean> => {
    const events = batch.map(({ event }) => event)
    while (!isClosing) {
      try {
        const last = lastPositions(batch, incomplete)
        handlers.rolesUnknown(await runAsLeader(db, epoch, (tx) => writeEvents(tx, deps, events, last)))
        for (const event of events)
          if (event.kind === 'roleRemoved') removals.start(event.serverId, event.roleId)
        return true
      } catch (error) {
        if (error instanceof LeadershipLost) {
          handlers.leadershipLost()
          return false
        }
        if (!(error instanceof DatabaseUnavailable)) {
          // Retrying would fail forever, so the events are skipped. Reading the servers again restores their effect.
          log.error({ err: error }, 'gateway events not written: reading all members of these servers again')
          markIncomplete(new Set(events.map(({ serverId }) => serverId)))
          return true
        }
        handlers.delayed()
        await sleep(retryAfterMs)
      }
    }
    return false
  }

  return {
    push(received: Received) {
      const dropped = queue.push(received)
      if (dropped !== undefined) {
        log.warn({ serverId: dropped }, 'gateway queue full: reading all members of a server again')
        markIncomplete(new Set([dropped]))
      }
      write()
    },
    /**
     * Waits until all received events of a server are written or dropped. Returns false if the wait was aborted, or if
     * the writer was closed.
     */
    async waitUntilWritten(serverId: string, signal: AbortSignal): Promise<boolean> {
      const upTo = queue.countReceived(serverId)
      while (queue.countSettled(serverId) < upTo && !isClosing && !signal.aborted) await sleep(batchPauseMs)
      return queue.countSettled(serverId) >= upTo
    },
    /** Returns the servers that events were received for. */
    servers: queue.servers,
    /** Returns the number of events that were received and not written yet. */
    pending: () => queue.size() + unwritten.length,
    /** Returns how long the oldest of these events has waited, in milliseconds. */
    lagMs: () => {
      const oldest = Math.min(
        unwritten[0]?.receivedAt ?? Number.POSITIVE_INFINITY,
        queue.oldestAt() ?? Number.POSITIVE_INFINITY,
      )
      return Number.isFinite(oldest) ? performance.now() - oldest : 0
    },
    async close() {
      isClosing = true
      await Promise.all([writing, removals.close()])
    },
  }
}

/** Returns the position of the last event of each server in a batch, except for the servers in `except`. */
const lastPositions = (
  batch: readonly Received[],
  except: ReadonlySet<string>,
): ReadonlyMap<string, EventPosition> =>
  new Map(
    batch.flatMap(({ event: { serverId }, at }) => (except.has(serverId) ? [] : [[serverId, at] as const])),
  )
