import { DatabaseUnavailable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { isAtLeast, type Mark, type Position } from './position.ts'
import { type EventRow, type EventsRead, listEventsAfter } from './store.ts'
import { createVouching } from './vouching.ts'

/**
 * The interval of reads. An event is read half an interval after its commit on average, so no notifications from the
 * database are needed. One statement per interval is cheap.
 */
const everyMs = 25
/** The maximum number of open streams of a project on this instance. A project that opens more has a defect. */
const maxStreamsPerProject = 2_000

/** An open stream, as the hub sees it. */
export interface Listener {
  readonly projectId: string
  /** Sends these events of the project, in order. */
  receive(rows: readonly EventRow[]): void
  /**
   * Called after each read, even a failed one, once a first read has succeeded. All events up to `vouchedAt`
   * (`performance.now()`) have been passed to the stream. `mark` is the position of the last successful read.
   */
  heartbeat(vouchedAt: number, mark: Mark): void
  /** Ends the stream, so that its client reconnects. */
  end(): void
}

/** The reads of the outbox that all event streams of a process share. */
export interface EventHub {
  /** Registers a stream, which counts toward the limit of its project. Returns false if the limit is reached. */
  open(listener: Listener): boolean
  /**
   * Subscribes a stream to the reads of the hub. The stream must have sent all events up to `upTo`. Returns false if
   * the hub has already read beyond `upTo`. Then the stream must read the missing events itself, and call `join` again.
   */
  join(listener: Listener, upTo: Position): boolean
  /** Unsubscribes a slow stream, which then reads from the database until it joins again. */
  leave(listener: Listener): void
  /** Removes a stream that has ended. It no longer counts toward the limit. */
  remove(listener: Listener): void
  /** Ends all streams. A stream that is opened later ends immediately. */
  close(): void
}

/**
 * Creates the hub, which reads the outbox for all streams of this process. It runs one statement every 25 ms while at
 * least one stream is subscribed. Each read starts where the last successful one ended, so no event is lost if a read
 * fails.
 */
export function createEventHub({ db, log, answers }: Pick<Deps, 'db' | 'log' | 'answers'>): EventHub {
  const byProject = new Map<string, Set<Listener>>()
  /** The subscribed streams. A stream that is still catching up is only in `byProject`. */
  const joined = new Set<Listener>()
  let vouching = createVouching()
  let vouchedAt = Number.NEGATIVE_INFINITY
  let mark: Mark | undefined
  /** The position of the last read. Undefined while no stream is subscribed. */
  let read: Position | undefined
  let isClosed = false
  /** True while reads fail, so that the log gets one line, and not forty a second. */
  let isFailing = false

  const publish = (rows: readonly EventRow[]) => {
    for (const [projectId, own] of groupByProject(rows)) {
      for (const listener of byProject.get(projectId) ?? []) if (joined.has(listener)) listener.receive(own)
    }
  }
  /** Reads once. Returns true if more can be read immediately. */
  const readOnce = async (from: Position): Promise<boolean> => {
    const startedAt = performance.now()
    const found = await listEventsAfter(db, from)
    // The transaction counter went back: the database was restored, or failed over without the latest commits. It is
    // unknown which events are missing, so all clients must reconnect, and get a `reset`.
    if (found.end < from.xid) {
      for (const listener of [...joined]) listener.end()
      return false
    }
    isFailing = false
    // A client that has received an event may call any instance. So this waits until every instance has applied the
    // changes that the events report.
    if (found.rows.length > 0) await answers.confirm()
    read = positionAfter(found)
    publish(found.rows)
    vouchedAt = vouching.advance(startedAt, found)
    mark = { ...read, atSec: found.nowSec }
    return !found.isAll
  }
  const run = async () => {
    while (read && joined.size > 0) {
      const startedAt = performance.now()
      const isMore = await readOnce(read).catch((error: unknown) => {
        // The database client logs an outage. Heartbeats continue, but `vouchedAt` does not advance.
        if (!isFailing && !(error instanceof DatabaseUnavailable))
          log.error({ err: error }, 'event read failed')
        isFailing = true
        return false
      })
      for (const listener of joined) if (mark) listener.heartbeat(vouchedAt, mark)
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
      joined.add(listener)
      if (!read) {
        read = upTo
        run()
      }
      return true
    },
    leave: (listener) => void joined.delete(listener),
    remove(listener) {
      joined.delete(listener)
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

/** Returns the position after a read: the horizon or, if there are more rows, the last row. */
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
