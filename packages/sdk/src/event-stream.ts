import { startDeadline, startTimer } from './deadline.ts'
import { type Frame, readFrames } from './event-frames.ts'
import { isPast, type Moment, moment, plus } from './moment.ts'
import { pause } from './retry.ts'

/** The heartbeat interval, in seconds, that the client requests. */
const heartbeatSec = 1
/**
 * How long, in milliseconds, the client relies on a confirmation of the service. The rest of a second up to the
 * guaranteed 5 s is a reserve.
 */
const freshMs = 4_000
/** A connection that receives nothing for this many milliseconds is closed. */
const silentMs = 5_000
/** The stream is closed when it was not used for this many milliseconds, until the next use. */
const unusedMs = 60_000
const maxPauseMs = 15_000

export interface EventStreamOptions {
  /** Opens the stream, after the last event ID if there is one. */
  readonly open: (query: string, lastId: string | undefined, signal: AbortSignal) => Promise<Response>
  readonly onEvent: (type: string, data: Record<string, string>) => void
  /** Called when events may have been missed: all earlier knowledge is void. */
  readonly onGap: () => void
}

/**
 * Follows the service's events while they are in use, across lost connections. Keeps no process alive.
 *
 * The service determines how fresh the stream is: each heartbeat states up to how long after the opening all events
 * have been sent. The opening was no earlier than the client's request for it. So anything that delays, buffers or cuts
 * the connection makes the known state look older than it is, never newer. No clock is compared with another machine's.
 */
export function createEventStream({ open, onEvent, onGap }: EventStreamOptions) {
  let lastId: string | undefined
  let freshUntil: Moment | undefined
  /** Set at each use, which must cost nothing; read and cleared here. */
  let isWanted = false
  let wantedUntil = moment()
  let running: AbortController | undefined
  let retryMs = 1_000

  const isUsed = () => {
    const now = moment()
    if (isWanted) wantedUntil = plus(now, unusedMs)
    isWanted = false
    return !isPast(wantedUntil, now)
  }

  /** Reads one connection to its end. */
  const connect = async (signal: AbortSignal): Promise<void> => {
    const asked = moment()
    const silence = startDeadline(silentMs, signal)
    try {
      const response = await open(`heartbeat=${heartbeatSec}`, lastId, silence.signal)
      const type = response.headers.get('content-type') ?? ''
      if (response.status !== 200 || !type.startsWith('text/event-stream') || !response.body) {
        await response.body?.cancel()
        throw new Error(`The event stream returned ${response.status}.`)
      }
      for await (const frame of readFrames(response.body, silence.extend)) {
        take(frame, asked)
        if (!isUsed()) return
      }
    } finally {
      silence.release()
    }
  }

  const take = ({ id, event, data, retry, comment }: Frame, asked: Moment) => {
    if (event !== undefined && data !== undefined) {
      if (event === 'reset') onGap()
      else onEvent(event, JSON.parse(data))
    }
    if (id !== undefined) {
      // From here on every event arrives, also across connections.
      if (lastId === undefined) onGap()
      lastId = id
    }
    if (retry !== undefined) retryMs = Number(retry)
    // A proxy may send its own comments. They show that the connection is alive, and nothing else.
    if (comment !== undefined && /^\d+$/.test(comment)) freshUntil = plus(asked, Number(comment) + freshMs)
  }

  const run = async (signal: AbortSignal) => {
    let failures = 0
    while (isUsed() && !signal.aborted) {
      failures = await connect(signal).then(
        () => 0,
        () => failures + 1,
      )
      const pauseMs = Math.min(retryMs * 2 ** Math.max(0, failures - 1), maxPauseMs)
      if (isUsed()) await pause(pauseMs * (0.5 + Math.random() / 2), signal, startTimer)
    }
  }

  return {
    /** Marks the stream as used: opens it, or keeps it open. */
    use() {
      isWanted = true
      if (running) return
      const controller = new AbortController()
      running = controller
      run(controller.signal).finally(() => {
        if (running === controller) running = undefined
      })
    },
    /** True while all events older than a few seconds are known. */
    isFresh: (now: Moment) => freshUntil !== undefined && !isPast(freshUntil, now),
    close() {
      running?.abort()
      running = undefined
      freshUntil = undefined
    },
  }
}
