import { DatabaseUnavailable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { isAtLeast, type Mark, type Position } from './position.ts'
import { type EventRow, type EventsRead, listEventsAfter } from './store.ts'
import { createVouching } from './vouching.ts'

/**
 * The interval of reads. On average, an event is read half an interval after its commit. It is short enough to need no
 * notifications, and long enough to be cheap.
 */
const everyMs = 25
/** The maximum number of streams of a project. A project that needs more has a defect. */
const maxStreamsPerProject = 2_000

/** An open stream, as the hub sees it. */
export interface Listener {
  readonly projectId: string
  take(rows: readonly EventRow[]): void
  /** Called after each read. All events up to `vouchedAt` (`performance.now()`) have been passed to the stream. */
  heartbeat(vouchedAt: number, mark: Mark): void
  end(): void
}

export interface EventHub {
  /** Registers a stream. Returns false if its project has too many. */
  open(listener: Listener): boolean
  /**
   * Subscribes a stream, which has everything up to a position, to the reads of the hub. Returns false if the hub has
   * read further than this position.
   */
  join(listener: Listener, upTo: Position): boolean
  /** Detaches a slow stream, which then reads from the database until it joins again. */
  fallBehind(listener: Listener): void
  closed(listener: Listener): void
  /** Ends all streams. A stream that is opened later ends immediately. */
  close(): void
}

/**
 * Reads the outbox for all streams of this process: one statement every 25 ms while a stream is open, regardless of the
 * number of streams and events. Each read returns everything after the last row, so no event is lost if a read fails or
 * is late.
 */
export function createEventHub({ db, log, answers }: Pick<Deps, 'db' | 'log' | 'answers'>): EventHub {
  const byProject = new Map<string, Set<Listener>>()
  const level = new Set<Listener>()
  let vouching = createVouching()
  let vouchedAt = Number.NEGATIVE_INFINITY
  let mark: Mark | undefined
  /** The position of the last read. Undefined while no stream follows the hub. */
  let read: Position | undefined
  let isClosed = false
  /** Limits the log to one line an outage, not forty a second. */
  let isFailing = false

  const publish = (rows: readonly EventRow[]) => {
    for (const [projectId, own] of groupByProject(rows)) {
      for (const listener of byProject.get(projectId) ?? []) if (level.has(listener)) listener.take(own)
    }
  }
  /** Reads once. Returns true if more can be read immediately. */
  const readOnce = async (from: Position): Promise<boolean> => {
    const startedAt = performance.now()
    const found = await listEventsAfter(db, from)
    // This is not the database of the last read: it was restored, or failed over without the latest commits. The
    // missing events are unknown.
    if (found.end < from.xid) {
      for (const listener of [...level]) listener.end()
      return false
    }
    isFailing = false
    // Once a client is notified of a change, every instance must have applied it.
    if (found.rows.length > 0) await answers.confirm()
    read = positionAfter(found)
    publish(found.rows)
    vouchedAt = vouching.advance(startedAt, found)
    mark = { ...read, atSec: found.nowSec }
    return !found.isAll
  }
  const run = async () => {
    while (read && level.size > 0) {
      const startedAt = performance.now()
      const isMore = await readOnce(read).catch((error: unknown) => {
        // An outage is logged once, by `availability.ts`. Heartbeats continue, but the moment up to which they vouch
        // does not advance.
        if (!isFailing && !(error instanceof DatabaseUnavailable))
          log.error({ err: error }, 'event read failed')
        isFailing = true
        return false
      })
      for (const listener of level) if (mark) listener.heartbeat(vouchedAt, mark)
      const restMs = everyMs - (performance.now() - startedAt)
      if (!isMore) await new Promise((resolve) => setTimeout(resolve, Math.max(restMs, 5)))
    }
    read = undefined
    mark = undefined
    vouching = createVouching()
  }

  return {
    open(listener) {
      const subscribers = byProject.get(listener.projectId) ?? new Set()
      if (subscribers.size >= maxStreamsPerProject) return false
      byProject.set(listener.projectId, subscribers.add(listener))
      if (isClosed) listener.end()
      return true
    },
    join(listener, upTo) {
      if (read && !isAtLeast(upTo, read)) return false
      level.add(listener)
      if (!read) {
        read = upTo
        run()
      }
      return true
    },
    fallBehind: (listener) => void level.delete(listener),
    closed(listener) {
      level.delete(listener)
      const subscribers = byProject.get(listener.projectId)
      subscribers?.delete(listener)
      if (subscribers?.size === 0) byProject.delete(listener.projectId)
    },
    close() {
      isClosed = true
      for (const subscribers of [...byProject.values()])
        for (const listener of [...subscribers]) listener.end()
    },
  }
}

/** Returns the position after a read: the horizon, or the last row if there is more. */
export const positionAfter = ({ rows, isAll, horizon }: EventsRead): Position =>
  isAll ? { xid: horizon, id: 0 } : (rows.at(-1)?.position ?? { xid: horizon, id: 0 })

function groupByProject(rows: readonly EventRow[]): Map<string, EventRow[]> {
  const groups = new Map<string, EventRow[]>()
  for (const row of rows) {
    const group = groups.get(row.projectId)
    if (group) group.push(row)
    else groups.set(row.projectId, [row])
  }
  return groups
}
