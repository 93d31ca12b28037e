import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable } from '#platform/db/database'
import type { MirrorDeps } from '../mirror-deps.ts'

/** Reads a server with its roles and members from Discord into the mirror. Throws if that fails. */
export type ReadServer = (serverId: string, signal: AbortSignal) => Promise<void>

const firstPauseMs = 1_000
const maxPauseMs = 60_000

/** A server that the gateway currently reports events for. */
interface Reach {
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
  const reached = new Map<string, Reach>()
  const endings = new Set<Promise<void>>()

  const stop = (reach: Reach) => {
    reach.isComplete = false
    reach.reading?.stop.abort()
    delete reach.reading
  }
  const start = (serverId: string, reach: Reach) => {
    reach.reading?.stop.abort()
    const controller = new AbortController()
    const done = readUntilDone(serverId, controller.signal)
      .then((isRead) => {
        if (!isRead) return
        delete reach.reading
        reach.isComplete = true
        changed()
      })
      .finally(() => endings.delete(done))
    endings.add(done)
    reach.reading = { stop: controller, done }
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
    /** A new session has begun. Its servers count as unavailable until the session reports them. */
    reset(isAffected: (serverId: string) => boolean) {
      for (const [serverId, reach] of reached) {
        if (!isAffected(serverId)) continue
        stop(reach)
        reached.delete(serverId)
      }
    },
    /** Starts to read a server that became available. */
    arrived(serverId: string, isRegistered: boolean) {
      const reach = reached.get(serverId) ?? { isComplete: false }
      reached.set(serverId, reach)
      stop(reach)
      if (isRegistered) start(serverId, reach)
    },
    /** Removes a server that is no longer available. */
    departed(serverId: string) {
      const reach = reached.get(serverId)
      if (reach) stop(reach)
      reached.delete(serverId)
    },
    /** Marks servers as incomplete because events may have been lost, and reads them again. */
    invalidate(isAffected: (serverId: string) => boolean) {
      for (const [serverId, reach] of reached) {
        if (!isAffected(serverId) || !(reach.isComplete || reach.reading)) continue
        stop(reach)
        start(serverId, reach)
      }
    },
    /** Reads all complete servers again. They stay complete in the meantime. */
    repeat() {
      for (const [serverId, reach] of reached) if (reach.isComplete && !reach.reading) start(serverId, reach)
    },
    /** Stops to read servers that are no longer registered, and starts to read newly registered ones. */
    setRegistered(registered: ReadonlySet<string>) {
      for (const [serverId, reach] of reached) {
        if (!registered.has(serverId)) stop(reach)
        else if (!reach.isComplete && !reach.reading) start(serverId, reach)
      }
    },
    /** Takes over the servers of an earlier leader's session, and whether each is complete. */
    adopt(servers: readonly (readonly [serverId: string, isComplete: boolean])[]) {
      for (const [serverId, isComplete] of servers) reached.set(serverId, { isComplete })
    },
    /** Returns the available servers, and whether each is complete. */
    reach: (): ReadonlyMap<string, boolean> =>
      new Map([...reached].map(([serverId, { isComplete }]) => [serverId, isComplete])),
    complete: () => [...reached].flatMap(([serverId, { isComplete }]) => (isComplete ? [serverId] : [])),
    async close() {
      for (const reach of reached.values()) stop(reach)
      await Promise.all(endings)
    },
  }
}
