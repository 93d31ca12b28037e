import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable } from '#platform/db/database'
import type { MirrorDeps } from '../mirror-deps.ts'

/** Reads a server with its roles and members from Discord into the mirror. Throws if that fails. */
export type ReadServer = (serverId: string, signal: AbortSignal) => Promise<void>

const firstPauseMs = 1_000
const maxPauseMs = 60_000

/** An available server: one that the gateway currently reports events for. */
interface AvailableServer {
  /** True if the whole server was read since events may last have been lost. */
  isComplete: boolean
  reading?: { stop: AbortController; done: Promise<void> }
}

/**
 * Creates the task that reads each server completely. Events only report changes, so a mirror is complete only if the
 * whole server was read after its events began. It also knows for which servers the gateway reports events.
 */
export function createResyncs(
  { log, readServer }: Pick<MirrorDeps, 'log'> & { readServer: ReadServer },
  { changed }: { changed: () => void },
) {
  const available = new Map<string, AvailableServer>()
  const endings = new Set<Promise<void>>()

  const stop = (server: AvailableServer) => {
    server.isComplete = false
    server.reading?.stop.abort()
    delete server.reading
  }
  const start = (serverId: string, server: AvailableServer) => {
    server.reading?.stop.abort()
    const controller = new AbortController()
    const done = readUntilDone(serverId, controller.signal)
      .then((isRead) => {
        if (!isRead) return
        delete server.reading
        server.isComplete = true
        changed()
      })
      .finally(() => endings.delete(done))
    endings.add(done)
    server.reading = { stop: controller, done }
  }
  const readUntilDone = async (serverId: string, signal: AbortSignal): Promise<boolean> => {
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      try {
        await readServer(serverId, signal)
        return !signal.aborted
      } catch (error) {
        if (signal.aborted) return false
        // `availability.ts` logs the outage of the database once.
        if (!(error instanceof DatabaseUnavailable))
          log.warn({ err: error, serverId }, 'member read failed: retrying')
      }
      await sleep(pauseMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => {})
    }
    return false
  }

  return {
    /** Removes the servers of a new session. They count as unavailable until the session reports them. */
    reset(isAffected: (serverId: string) => boolean) {
      for (const [serverId, server] of available) {
        if (!isAffected(serverId)) continue
        stop(server)
        available.delete(serverId)
      }
    },
    /** Adds a server that became available, and starts to read it if it is registered. */
    serverAvailable(serverId: string, isRegistered: boolean) {
      const server = available.get(serverId) ?? { isComplete: false }
      available.set(serverId, server)
      stop(server)
      if (isRegistered) start(serverId, server)
    },
    /** Removes a server that is no longer available. */
    serverUnavailable(serverId: string) {
      const server = available.get(serverId)
      if (server) stop(server)
      available.delete(serverId)
    },
    /** Marks servers as incomplete because events may have been lost, and reads them again. */
    invalidate(isAffected: (serverId: string) => boolean) {
      for (const [serverId, server] of available) {
        if (!isAffected(serverId) || !(server.isComplete || server.reading)) continue
        stop(server)
        start(serverId, server)
      }
    },
    /** Reads all complete servers again. They stay complete in the meantime. */
    repeat() {
      for (const [serverId, server] of available)
        if (server.isComplete && !server.reading) start(serverId, server)
    },
    /** Stops reading servers that are no longer registered, and starts reading newly registered ones. */
    setRegistered(registered: ReadonlySet<string>) {
      for (const [serverId, server] of available) {
        if (!registered.has(serverId)) stop(server)
        else if (!server.isComplete && !server.reading) start(serverId, server)
      }
    },
    /** Restores the servers of an earlier leader's session, and whether each is complete. */
    restore(servers: readonly (readonly [serverId: string, isComplete: boolean])[]) {
      for (const [serverId, isComplete] of servers) available.set(serverId, { isComplete })
    },
    /** Returns the available servers, and whether each is complete. */
    listAvailable: (): ReadonlyMap<string, boolean> =>
      new Map([...available].map(([serverId, { isComplete }]) => [serverId, isComplete])),
    complete: () => [...available].flatMap(([serverId, { isComplete }]) => (isComplete ? [serverId] : [])),
    async close() {
      for (const server of available.values()) stop(server)
      await Promise.all(endings)
    },
  }
}
