import { setTimeout as sleep } from 'node:timers/promises'
import type { ToldAt } from '#chat/chat-gateway'
import { DatabaseUnavailable } from '#platform/db/database'
import type { MirrorDeps } from '../mirror-deps.ts'
import { takeRole } from '../write-members.ts'
import { createEventQueue, type Received } from './event-queue.ts'
import { asLeader, LeadLost } from './store.ts'
import { writeEvents } from './write-events.ts'

/** Most events of one transaction: small enough that others get their turn on the embedded database. */
const maxBatchSize = 200
/** Between two batches: what arrives meanwhile shares the next one. */
const batchPauseMs = 10
const retryAfterMs = 250
const membersPerRoleStep = 500

interface EventWriterHandlers {
  /** Somebody in these servers holds a role that nobody told of. */
  rolesUnknown(serverIds: readonly string[]): void
  /** Events of these servers will never be written: they have to be read anew. */
  forgotten(serverIds: ReadonlySet<string>): void
  /** The database is away, and what waits gets old. */
  delayed(): void
  /** This instance leads no more. */
  leadLost(): void
}

/** Writes received events in batches, in the background, for as long as this instance leads. */
export function createEventWriter(
  deps: Pick<MirrorDeps, 'db' | 'log' | 'audit' | 'endSessions'>,
  epoch: number,
  handlers: EventWriterHandlers,
) {
  const { db, log } = deps
  const queue = createEventQueue()
  let writing: Promise<void> | undefined
  let unwritten: readonly Received[] = []
  /** Servers of which something was never written: what is told again of them is not skipped. */
  const forgetful = new Set<string>()
  let isClosing = false

  const write = () => {
    writing ??= writeAll().finally(() => {
      writing = undefined
      // One may have come between the last look and this line.
      if (queue.size() > 0 && !isClosing) write()
    })
  }
  const writeAll = async () => {
    while (!isClosing && queue.size() > 0) {
      unwritten = queue.take(maxBatchSize)
      if (!(await writeBatch(unwritten))) return
      queue.settle(unwritten)
      unwritten = []
      // A full batch waits already. The embedded engine has one connection: there others get their turn.
      if (queue.size() < maxBatchSize || db.engine === 'pglite') await sleep(batchPauseMs)
    }
  }
  const forget = (serverIds: ReadonlySet<string>) => {
    for (const serverId of serverIds) forgetful.add(serverId)
    handlers.forgotten(serverIds)
  }
  /** False when this instance leads no more. */
  const writeBatch = async (batch: readonly Received[]): Promise<boolean> => {
    const events = batch.map(({ event }) => event)
    while (!isClosing) {
      try {
        const last = lastOf(batch, forgetful)
        handlers.rolesUnknown(await asLeader(db, epoch, (tx) => writeEvents(tx, deps, events, last)))
        for (const event of events) if (event.kind === 'roleRemoved') void takeRoleFromAll(event)
        return true
      } catch (error) {
        if (error instanceof LeadLost) {
          handlers.leadLost()
          return false
        }
        if (!(error instanceof DatabaseUnavailable)) {
          // Skipped rather than tried for ever; reading everything anew brings what it would have.
          log.error(
            { err: error },
            'changes could not be written: the members of these servers are read anew',
          )
          forget(new Set(events.map(({ serverId }) => serverId)))
          return true
        }
        handlers.delayed()
        await sleep(retryAfterMs)
      }
    }
    return false
  }
  const takeRoleFromAll = async ({ serverId, roleId }: { serverId: string; roleId: string }) => {
    try {
      while (
        !isClosing &&
        (await asLeader(db, epoch, (tx) => takeRole(tx, serverId, roleId, membersPerRoleStep)))
      ) {
        // Until nobody holds it.
      }
    } catch (error) {
      // Answers leave out roles that do not exist; the next reading of all members tidies the rest.
      log.debug({ err: error, serverId }, 'a removed role stays noted with its holders')
    }
  }

  return {
    push(received: Received) {
      const forgotten = queue.push(received)
      if (forgotten !== undefined) {
        log.warn({ serverId: forgotten }, 'too many changes to follow: all members of a server are read anew')
        forget(new Set([forgotten]))
      }
      write()
    },
    /** Until everything that was received of a server before now is written, or forgotten; false when it is not. */
    async whenSettled(serverId: string, signal: AbortSignal): Promise<boolean> {
      const upTo = queue.received(serverId)
      while (queue.settled(serverId) < upTo && !isClosing && !signal.aborted) await sleep(batchPauseMs)
      return queue.settled(serverId) >= upTo
    },
    /** Servers of which anything was received. */
    servers: queue.servers,
    /** Received and not written yet. */
    pending: () => queue.size() + unwritten.length,
    /** How long the oldest of these has waited. */
    lagMs: () => {
      const oldest = Math.min(
        unwritten[0]?.receivedAt ?? Number.POSITIVE_INFINITY,
        queue.oldestAt() ?? Number.POSITIVE_INFINITY,
      )
      return Number.isFinite(oldest) ? performance.now() - oldest : 0
    },
    async close() {
      isClosing = true
      await writing
    },
  }
}

/** The last event of each server in a batch. */
const lastOf = (batch: readonly Received[], except: ReadonlySet<string>): ReadonlyMap<string, ToldAt> =>
  new Map(
    batch.flatMap(({ event: { serverId }, at }) => (except.has(serverId) ? [] : [[serverId, at] as const])),
  )
