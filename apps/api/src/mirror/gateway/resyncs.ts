import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable } from '#platform/db/database'
import type { MirrorDeps } from '../mirror-deps.ts'

/** Reads a server with its roles and members from the platform into the mirror; throws when it cannot. */
export type ReadServer = (serverId: string, signal: AbortSignal) => Promise<void>

const firstPauseMs = 1_000
const maxPauseMs = 60_000

interface Reach {
  /** True if everything was read since the last gap in the events. */
  isComplete: boolean
  reading?: { stop: AbortController; done: Promise<void> }
}

/**
 * Tracks the servers that the gateway reports on, and those that were read completely since. Events describe
 * changes; only a complete reading gives the state before them.
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
        // The database watch reports an outage of the database.
        if (!(error instanceof DatabaseUnavailable))
          log.warn({ err: error, serverId }, 'member read failed: retrying')
      }
      await sleep(pauseMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => {})
    }
    return false
  }

  return {
    /** Marks the servers of a new session as unavailable until it reports them. */
    reset(isConcerned: (serverId: string) => boolean) {
      for (const [serverId, reach] of reached) {
        if (!isConcerned(serverId)) continue
        stop(reach)
        reached.delete(serverId)
      }
    },
    arrived(serverId: string, isRegistered: boolean) {
      const reach = reached.get(serverId) ?? { isComplete: false }
      reached.set(serverId, reach)
      stop(reach)
      if (isRegistered) start(serverId, reach)
    },
    departed(serverId: string) {
      const reach = reached.get(serverId)
      if (reach) stop(reach)
      reached.delete(serverId)
    },
    /** Marks readings as outdated after missed changes. */
    invalidate(isConcerned: (serverId: string) => boolean) {
      for (const [serverId, reach] of reached) {
        if (!isConcerned(serverId) || !(reach.isComplete || reach.reading)) continue
        stop(reach)
        start(serverId, reach)
      }
    },
    /** Reads everything again while the current readings remain valid. */
    repeat() {
      for (const [serverId, reach] of reached) if (reach.isComplete && !reach.reading) start(serverId, reach)
    },
    /** Removes all other servers; the administration adds and removes them. */
    keepOnly(registered: ReadonlySet<string>) {
      for (const [serverId, reach] of reached) {
        if (!registered.has(serverId)) stop(reach)
        else if (!reach.isComplete && !reach.reading) start(serverId, reach)
      }
    },
    /** Adopts the servers of a session that continues here; some were read completely. */
    adopt(servers: readonly (readonly [serverId: string, isComplete: boolean])[]) {
      for (const [serverId, isComplete] of servers) reached.set(serverId, { isComplete })
    },
    /** Returns the servers in reach; true if a server was read completely. */
    reach: (): ReadonlyMap<string, boolean> =>
      new Map([...reached].map(([serverId, { isComplete }]) => [serverId, isComplete])),
    complete: () => [...reached].flatMap(([serverId, { isComplete }]) => (isComplete ? [serverId] : [])),
    async close() {
      for (const reach of reached.values()) stop(reach)
      await Promise.all(endings)
    },
  }
}
