import { Readable } from 'node:stream'
import type { adminStream } from '@rolecall/contract'
import { singleFlight } from '#platform/async'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { eventsOf } from './events-of.ts'
import type { AdminHub, AdminListener } from './hub.ts'
import { parseEventId, toEventId, whyNotResumable } from './position.ts'
import { lookAfter, type Position } from './store.ts'

const heartbeatMs = 15_000
/** A client that leaves so much untaken does not read. */
const maxWaitingBytes = 64 * 1024
/** Nobody can say for so long whether the session is good: who comes back is told. */
const maxUncheckedMs = 30_000
/** Roles that nobody vouches for are a question to the platform: not four times a second. */
const thoroughEveryMs = 5_000

interface StreamTerms {
  readonly sessionId: string
  readonly lastEventId: string | undefined
  /** Whether the one who asked may still; throws where nobody can say. `isThorough` has old roles read again. */
  readonly mayGoOn: (isThorough: boolean) => Promise<boolean>
}

/** Opens a stream where the client was, or in the present, which it is told when it was somewhere unknown. */
export async function openAdminStream(
  { db, hub }: Pick<Deps, 'db'> & { readonly hub: AdminHub },
  { sessionId, lastEventId, mayGoOn }: StreamTerms,
): Promise<Readable> {
  if (!hub.hasRoom()) {
    throw new ApiError('RATE_LIMITED', {
      detail: 'This instance has too many open streams.',
      headers: { 'retry-after': '10' },
    })
  }
  let isOver = false
  let goodAt = performance.now()
  let thoroughAt = goodAt
  /** What the hub tells before the stream has caught up. */
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
    const missed = last && !problem ? await lookAfter(db, last) : undefined
    const reached = missed?.position ?? present
    // Spread, so that those who lose an instance do not all come back at the same moment.
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

/** An event as Server-Sent Events write it. JSON has no line breaks. */
const frameOf = (position: Position, type: adminStream.AdminEventName, data: object) =>
  `id: ${toEventId(position)}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`
