import { setTimeout as sleep } from 'node:timers/promises'
import type { EventPosition } from '#chat/chat-gateway'
import { DatabaseUnavailable } from '#platform/db/database'
import type { MirrorDeps } from '../mirror-deps.ts'
import { createEventQueue, type Received } from './event-queue.ts'
import { createRoleRemovals } from './role-removals.ts'
import { asLeader, LeadLost } from './store.ts'
import { writeEvents } from './write-events.ts'

/** The maximum number of events in a transaction, so that other work gets its turn on the embedded database. */
const maxBatchSize = 200
/** The pause between two batches. Events that arrive meanwhile share the next one. */
const batchPauseMs = 10
const retryAfterMs = 250

interface EventWriterHandlers {
  /** Reports that members of these servers hold a role that no event has described. */
  rolesUnknown(serverIds: readonly string[]): void
  /** Reports that events of these servers will never be written, so the servers must be read again. */
  eventsLost(serverIds: ReadonlySet<string>): void
  /** Reports that events wait because the database is unavailable. */
  delayed(): void
  /** Reports that this instance no longer leads. */
  leadLost(): void
}

/** Writes received events in batches, in the background, while this instance leads. */
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
   * The servers with events that were never written. `lastOf` leaves them out, so that repeated events are not skipped.
   */
  const incomplete = new Set<string>()
  let isClosing = false

  const write = () => {
    writing ??= writeAll().finally(() => {
      writing = undefined
      // An event may have arrived between the last check and this line.
      if (queue.size() > 0 && !isClosing) write()
    })
  }
  const writeAll = async () => {
    while (!isClosing && queue.size() > 0) {
      unwritten = queue.take(maxBatchSize)
      if (!(await writeBatch(unwritten))) return
      queue.settle(unwritten)
      unwritten = []
      // Writes a full batch without a pause, except with the embedded engine, which has one connection for all work.
      if (queue.size() < maxBatchSize || db.engine === 'pglite') await sleep(batchPauseMs)
    }
  }
  const markIncomplete = (serverIds: ReadonlySet<string>) => {
    for (const serverId of serverIds) incomplete.add(serverId)
    handlers.eventsLost(serverIds)
  }
  /** Writes a batch. Returns false if this instance no longer leads. */
  const writeBatch = async (batch: readonly Received[]): Promise<boolean> => {
    const events = batch.map(({ event }) => event)
    while (!isClosing) {
      try {
        const last = lastOf(batch, incomplete)
        handlers.rolesUnknown(await asLeader(db, epoch, (tx) => writeEvents(tx, deps, events, last)))
        for (const event of events)
          if (event.kind === 'roleRemoved') removals.start(event.serverId, event.roleId)
        return true
      } catch (error) {
        if (error instanceof LeadLost) {
          handlers.leadLost()
          return false
        }
        if (!(error instanceof DatabaseUnavailable)) {
          // The event is skipped rather than retried forever. Reading the server again restores its effect.
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
     * Waits until all received events of a server are written or dropped. Returns false if the wait was aborted or the
     * writer closed first.
     */
    async whenSettled(serverId: string, signal: AbortSignal): Promise<boolean> {
      const upTo = queue.received(serverId)
      while (queue.settled(serverId) < upTo && !isClosing && !signal.aborted) await sleep(batchPauseMs)
      return queue.settled(serverId) >= upTo
    },
    /** Returns the servers with received events. */
    servers: queue.servers,
    /** Returns the number of events that are received and not written yet. */
    pending: () => queue.size() + unwritten.length,
    /** Returns the waiting time of the oldest unwritten event. */
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

/** Returns the last event of each server in a batch. */
const lastOf = (
  batch: readonly Received[],
  except: ReadonlySet<string>,
): ReadonlyMap<string, EventPosition> =>
  new Map(
    batch.flatMap(({ event: { serverId }, at }) => (except.has(serverId) ? [] : [[serverId, at] as const])),
  )
