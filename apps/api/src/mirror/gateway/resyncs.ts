import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable } from '#platform/db/database'
import type { MirrorDeps } from '../mirror-deps.ts'

/** Reads a server with its roles and members from the platform into the mirror; throws when it cannot. */
export type ReadServer = (serverId: string, signal: AbortSignal) => Promise<void>

const firstPauseMs = 1_000
const maxPauseMs = 60_000

interface Reach {
  /** Everything was read since the last gap in what we were told. */
  isComplete: boolean
  reading?: { stop: AbortController; done: Promise<void> }
}

/**
 * Which servers the gateway tells of, and which of those were read from end to end since. Events tell what
 * changes; only a complete reading tells what there was before.
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
        // An outage of the database is told by whoever watches it.
        if (!(error instanceof DatabaseUnavailable))
          log.warn({ err: error, serverId }, 'the members of a server could not be read; trying again')
      }
      await sleep(pauseMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => {})
    }
    return false
  }

  return {
    /** A new session: these servers are not there until it says so. */
    forget(isConcerned: (serverId: string) => boolean) {
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
    /** Changes were missed: what was read no longer counts. */
    invalidate(isConcerned: (serverId: string) => boolean) {
      for (const [serverId, reach] of reached) {
        if (!isConcerned(serverId) || !(reach.isComplete || reach.reading)) continue
        stop(reach)
        start(serverId, reach)
      }
    },
    /** Reads everything again while what there is goes on to count. */
    repeat() {
      for (const [serverId, reach] of reached) if (reach.isComplete && !reach.reading) start(serverId, reach)
    },
    /** Servers come and go by the administration. */
    keepOnly(registered: ReadonlySet<string>) {
      for (const [serverId, reach] of reached) {
        if (!registered.has(serverId)) stop(reach)
        else if (!reach.isComplete && !reach.reading) start(serverId, reach)
      }
    },
    /** These are told of by a session that goes on here; of some all was read. */
    adopt(servers: readonly (readonly [serverId: string, isComplete: boolean])[]) {
      for (const [serverId, isComplete] of servers) reached.set(serverId, { isComplete })
    },
    /** Servers that are told of, and whether all of each was read. */
    reach: (): ReadonlyMap<string, boolean> =>
      new Map([...reached].map(([serverId, { isComplete }]) => [serverId, isComplete])),
    complete: () => [...reached].flatMap(([serverId, { isComplete }]) => (isComplete ? [serverId] : [])),
    async close() {
      for (const reach of reached.values()) stop(reach)
      await Promise.all(endings)
    },
  }
}
