import { Readable } from 'node:stream'
import { DatabaseUnavailable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { type EventHub, type Listener, positionAfter } from './event-hub.ts'
import { isAtLeast, type Mark, type Position, toEventId } from './position.ts'
import { type EventRow, frameOf, listProjectEventsAfter } from './store.ts'

/**
 * The buffer of a client in bytes. A full buffer stops the reads, so it can only exceed this by the events of one read.
 */
const maxWaitingBytes = 64 * 1024
/** The time after which a client that does not empty its buffer is disconnected. */
const stalledMs = 10_000
/** The interval at which a client without events receives a new ID. IDs are valid for a day. */
const idEveryMs = 60 * 60_000

/** The properties of a stream. */
export interface StreamTerms {
  readonly projectId: string
  readonly heartbeatMs: number
  /** The position to start at, or to resume from. */
  readonly from: Mark
  /** The data of the event `reset`, which is sent first. Undefined if the client can keep its cache. */
  readonly reset: string | undefined
  /** Checks again whether the API key is valid. Throws if the check fails because of an outage. */
  readonly isKeyValid: () => Promise<boolean>
}

/**
 * Opens an event stream, or returns undefined if its project has too many. At first, the stream reads the project's
 * events from the database, as fast as the client accepts them. Once it has caught up, it joins the hub, and receives
 * the events that the hub reads. If the client is slow, the stream leaves the hub and catches up again, so that the
 * buffer stays small. A client that does not read at all is disconnected.
 */
export function createEventStream(
  { db, log, answers, hub }: Pick<Deps, 'db' | 'log' | 'answers'> & { readonly hub: EventHub },
  { projectId, heartbeatMs, from, reset, isKeyValid }: StreamTerms,
): Readable | undefined {
  const openedAt = performance.now()
  let position: Position = from
  let heartbeatAt = Number.NEGATIVE_INFINITY
  let idAt = openedAt
  let isOver = false
  let wake = () => {}

  const stream = new Readable({
    highWaterMark: maxWaitingBytes,
    read: () => wake(),
    destroy(error, done) {
      isOver = true
      hub.remove(listener)
      wake()
      done(error)
    },
  })
  const isFull = () => stream.readableLength >= maxWaitingBytes
  /** Waits until the buffer has room. Disconnects a client that does not read. */
  const drained = async () => {
    const timer = setTimeout(() => stream.destroy(new Error('The client stopped reading.')), stalledMs)
    while (isFull() && !isOver) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    clearTimeout(timer)
  }
  /** Sends the events after the current position. */
  const send = (rows: readonly EventRow[]) => {
    for (const row of rows) {
      if (isAtLeast(position, row.position)) continue
      stream.push(row.frame)
      position = row.position
    }
  }
  const endUnlessKeyIsValid = async () => {
    if (!(await isKeyValid())) listener.end()
  }
  const catchUp = async () => {
    try {
      for (;;) {
        await drained()
        if (isOver) return
        const found = await listProjectEventsAfter(db, position, projectId)
        if (found.rows.length > 0) await answers.confirm()
        if (isOver) return
        send(found.rows)
        position = positionAfter(found)
        if (found.isAll && !isFull() && hub.join(listener, position)) break
      }
      // The key may have ended while the stream caught up.
      await endUnlessKeyIsValid()
    } catch (error) {
      // The stream ends, and the client reconnects with its last ID.
      if (!(error instanceof DatabaseUnavailable))
        log.error({ err: error }, 'event stream failed: internal error')
      stream.destroy()
    }
  }
  const listener: Listener = {
    projectId,
    receive(rows) {
      send(rows)
      if (rows.some(({ type }) => type === 'project.disabled' || type === 'key.ended'))
        endUnlessKeyIsValid().catch(() => stream.destroy())
      if (!isFull()) return
      hub.leave(listener)
      catchUp()
    },
    heartbeat(vouchedAt, mark) {
      const now = performance.now()
      if (vouchedAt < openedAt || now - heartbeatAt < heartbeatMs) return
      heartbeatAt = now
      const isIdDue = now - idAt >= idEveryMs
      if (isIdDue) idAt = now
      stream.push(`${isIdDue ? `id: ${toEventId(mark)}\n` : ''}: ${Math.floor(vouchedAt - openedAt)}\n\n`)
    },
    end() {
      if (isOver) return
      isOver = true
      hub.remove(listener)
      stream.push(null)
      wake()
      // The end does not reach a client that does not read, so its connection is closed soon.
      setTimeout(() => stream.destroy(), 1_000).unref()
    },
  }

  // The reconnection time is random, so that the clients of a failed instance do not all reconnect at the same moment.
  stream.push(`retry: ${500 + Math.floor(Math.random() * 1_000)}\nid: ${toEventId(from)}\n\n`)
  if (reset) stream.push(frameOf(from, 'reset', reset))
  if (!hub.open(listener)) return undefined
  catchUp()
  return stream
}
