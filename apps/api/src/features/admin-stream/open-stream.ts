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
/** A client with more unread bytes than this is disconnected, because it does not read. */
const maxWaitingBytes = 64 * 1024
/** A stream ends if its session cannot be checked for this long. The client reconnects, and gets the error. */
const maxUncheckedMs = 30_000
/**
 * The interval of thorough checks. They run less often than other checks, because they may send a request to Discord.
 */
const thoroughEveryMs = 5_000

/** The properties of a stream. */
interface StreamTerms {
  readonly sessionId: string
  readonly lastEventId: string | undefined
  /**
   * Checks whether the caller is still admitted. With `isThorough`, first refreshes roles that are too old. Throws if
   * the check fails because of an outage.
   */
  readonly mayGoOn: (isThorough: boolean) => Promise<boolean>
}

/**
 * Opens a stream of the console that resumes after the client's last event. If the client sends an ID from which it
 * cannot resume, the stream sends the event `reset` and starts at the present. Without an ID, it starts at the present.
 *
 * @throws RATE_LIMITED if this instance has too many open streams
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
  /** The events from the hub that arrived before the stream caught up. Undefined after that. */
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
    receive(events, position) {
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
      // The end does not reach a client that does not read, so its connection is closed soon.
      setTimeout(() => stream.destroy(), 1_000).unref()
    },
  }

  try {
    const present = await hub.join(listener)
    const last = lastEventId === undefined ? undefined : parseEventId(lastEventId)
    const problem = lastEventId === undefined ? undefined : whyNotResumable(last, present)
    const missed = last && !problem ? await listChangesAfter(db, last) : undefined
    const reached = missed?.position ?? present
    // The reconnection time is random, so that the clients of a failed instance do not all reconnect at the same
    // moment.
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
