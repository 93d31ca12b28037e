import { Readable } from 'node:stream'
import type { adminStream } from '@rolecall/contract'
import { singleFlight } from '#platform/async'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { eventsOf } from './events-of.ts'
import type { AdminHub, AdminListener } from './hub.ts'
import { parseEventId, toEventId, whyNotResumable } from './position.ts'
import { listChangesAfter, type Position } from './store.ts'

const heartbeatMs = 15_000
/** A client with this much unread data does not read. */
const maxWaitingBytes = 64 * 1024
/** A stream ends if its session cannot be checked for this long. A client that reconnects gets the error. */
const maxUncheckedMs = 30_000
/**
 * Checking roles that the gateway does not vouch for takes a request to the platform, so it runs less often than other
 * checks.
 */
const thoroughEveryMs = 5_000

interface StreamTerms {
  readonly sessionId: string
  readonly lastEventId: string | undefined
  /**
   * Checks whether the caller is still admitted; throws if that cannot be checked. `isThorough` reads stale roles
   * again.
   */
  readonly mayGoOn: (isThorough: boolean) => Promise<boolean>
}

/**
 * Opens a stream at the client's last position. If that position cannot be resumed, it sends a `reset` and starts at
 * the present.
 */
export async function openAdminStream(
  { db, hub }: Pick<Deps, 'db'> & { readonly hub: AdminHub },
  { sessionId, lastEventId, mayGoOn }: StreamTerms,
): Promise<Readable> {
  if (!hub.hasRoom()) {
    throw new ApiError('RATE_LIMITED', {
      detail: 'This instance has too many open streams. Close some of them, then try again.',
      headers: { 'retry-after': '10' },
    })
  }
  let isOver = false
  let goodAt = performance.now()
  let thoroughAt = goodAt
  /** Events from the hub that arrive before the stream has caught up. */
  let waiting: { events: readonly adminStream.AdminEvent[]; position: Position }[] | undefined = []

  const stream = new Readable({
    highWaterMark: maxWaitingBytes,
    read() {},
    destroy(error, done) {
      isOver = true
      clearInterval(beating)
      hub.leave(listener)
      done(error)
    },
  })
  const push = (text: string) => {
    if (isOver) return
    stream.push(text)
    if (stream.readableLength > maxWaitingBytes) stream.destroy(new Error('The client stopped reading.'))
  }
  const beating = setInterval(() => push(': \n\n'), heartbeatMs)
  const send = (events: readonly adminStream.AdminEvent[], position: Position) => {
    for (const { type, data } of events) push(frameOf(position, type, data))
  }
  const check = singleFlight(async () => {
    try {
      const now = performance.now()
      const isThorough = now - thoroughAt >= thoroughEveryMs
      if (isThorough) thoroughAt = now
      if (!(await mayGoOn(isThorough))) listener.end()
      goodAt = performance.now()
    } catch {
      if (performance.now() - goodAt > maxUncheckedMs) listener.end()
    }
  })
  const listener: AdminListener = {
    sessionId,
    take(events, position) {
      if (waiting) waiting.push({ events, position })
      else send(events, position)
    },
    check: () => void check(),
    end() {
      if (isOver) return
      isOver = true
      clearInterval(beating)
      hub.leave(listener)
      stream.push(null)
      // A client that does not read does not see the end either.
      setTimeout(() => stream.destroy(), 1_000).unref()
    },
  }

  try {
    const present = await hub.join(listener)
    const last = lastEventId === undefined ? undefined : parseEventId(lastEventId)
    const problem = lastEventId === undefined ? undefined : whyNotResumable(last, present)
    const missed = last && !problem ? await listChangesAfter(db, last) : undefined
    const reached = missed?.position ?? present
    // Random, so that clients of a lost instance do not all reconnect at the same moment.
    push(`retry: ${500 + Math.floor(Math.random() * 1_000)}\n`)
    push(missed ? '\n' : `id: ${toEventId(present)}\n\n`)
    if (problem) push(frameOf(present, 'reset', { reason: problem }))
    if (missed) {
      send(eventsOf(missed.changes), reached)
      push(`id: ${toEventId(reached)}\n\n`)
    }
    for (const { events, position } of waiting) send(events, position)
    waiting = undefined
    return stream
  } catch (error) {
    stream.destroy()
    throw error
  }
}

/** Formats an event for Server-Sent Events. JSON has no line breaks. */
const frameOf = (position: Position, type: adminStream.AdminEventName, data: object) =>
  `id: ${toEventId(position)}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`
