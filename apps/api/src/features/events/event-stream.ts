import { Readable } from 'node:stream'
import { DatabaseUnavailable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { afterLook, type EventHub, type Listener } from './event-hub.ts'
import { isAtLeast, type Mark, type Position, toEventId } from './position.ts'
import { type EventRow, frameOf, lookAfterFor } from './store.ts'

/** What waits for a client at most, besides what the network holds and one look. */
const maxWaitingBytes = 64 * 1024
/** A client that takes nothing for so long is cut off. */
const stalledMs = 10_000
/** A client that hears of no event still learns ids to go on from: they are good for a day. */
const idEveryMs = 60 * 60_000

export interface StreamTerms {
  readonly projectId: string
  readonly heartbeatMs: number
  /** Where to begin, or to go on. */
  readonly from: Mark
  /** Sent first: the data of a `reset`, when the client must forget what it keeps. */
  readonly reset: string | undefined
  /** Asks again whether the key is good. */
  readonly isKeyGood: () => Promise<boolean>
}

/**
 * One open stream; undefined when its project has too many. What can be when: behind, and reading its project's
 * events from the database at the pace of its client; or level with the hub, which hands it what it reads. A
 * client that does not keep up falls behind again, so that what waits for it stays small, and one that does not
 * read at all is cut off.
 */
export function createEventStream(
  { db, log, answers, hub }: Pick<Deps, 'db' | 'log' | 'answers'> & { readonly hub: EventHub },
  { projectId, heartbeatMs, from, reset, isKeyGood }: StreamTerms,
): Readable | undefined {
  const openedAt = performance.now()
  let position: Position = from
  let beatAt = Number.NEGATIVE_INFINITY
  let idAt = openedAt
  let isOver = false
  let wake = () => {}

  const stream = new Readable({
    highWaterMark: maxWaitingBytes,
    read: () => wake(),
    destroy(error, done) {
      isOver = true
      hub.closed(listener)
      wake()
      done(error)
    },
  })
  const isFull = () => stream.readableLength >= maxWaitingBytes
  const drained = async () => {
    const timer = setTimeout(() => stream.destroy(new Error('The client stopped reading.')), stalledMs)
    while (isFull() && !isOver) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    clearTimeout(timer)
  }
  const send = (rows: readonly EventRow[]) => {
    for (const row of rows) {
      if (isAtLeast(position, row.position)) continue
      stream.push(row.frame)
      position = row.position
    }
  }
  const endUnlessKeyIsGood = async () => {
    if (!(await isKeyGood())) listener.end()
  }
  const catchUp = async () => {
    try {
      for (;;) {
        await drained()
        if (isOver) return
        const found = await lookAfterFor(db, position, projectId)
        if (found.rows.length > 0) await answers.confirm()
        if (isOver) return
        send(found.rows)
        position = afterLook(found)
        if (found.isAll && !isFull() && hub.join(listener, position)) break
      }
      // It may have ended while the stream was being opened, or in what was just read.
      await endUnlessKeyIsGood()
    } catch (error) {
      // The client comes back with its last id.
      if (!(error instanceof DatabaseUnavailable)) log.error({ err: error }, 'an event stream failed')
      stream.destroy()
    }
  }
  const listener: Listener = {
    projectId,
    take(rows) {
      send(rows)
      if (rows.some(({ type }) => type === 'project.disabled' || type === 'key.ended'))
        endUnlessKeyIsGood().catch(() => stream.destroy())
      if (!isFull()) return
      hub.fallBehind(listener)
      catchUp()
    },
    beat(vouchedAt, mark) {
      const now = performance.now()
      if (vouchedAt < openedAt || now - beatAt < heartbeatMs) return
      beatAt = now
      const isIdDue = now - idAt >= idEveryMs
      if (isIdDue) idAt = now
      stream.push(`${isIdDue ? `id: ${toEventId(mark)}\n` : ''}: ${Math.floor(vouchedAt - openedAt)}\n\n`)
    },
    end() {
      if (isOver) return
      isOver = true
      hub.closed(listener)
      stream.push(null)
      wake()
      // A client that does not read does not see the end either.
      setTimeout(() => stream.destroy(), 1_000).unref()
    },
  }

  // Spread, so that those who lose an instance do not all come back at the same moment.
  stream.push(`retry: ${500 + Math.floor(Math.random() * 1_000)}\nid: ${toEventId(from)}\n\n`)
  if (reset) stream.push(frameOf(from, 'reset', reset))
  if (!hub.open(listener)) return undefined
  catchUp()
  return stream
}
