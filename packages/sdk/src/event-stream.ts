import { startDeadline, startTimer } from './deadline.ts'
import { type Frame, readFrames } from './event-frames.ts'
import { isPast, type Moment, moment, plus } from './moment.ts'
import { pause } from './retry.ts'

/** The heartbeat interval, in seconds, that the client requests. */
const heartbeatSec = 1
/** The time, in milliseconds, for which a heartbeat confirms the cache: the guaranteed five seconds with a margin. */
const freshMs = 4_000
/** The time, in milliseconds, after which a connection that receives nothing is closed. */
const silentMs = 5_000
/** The time, in milliseconds, after which an unused stream is closed. The next use opens it again. */
const unusedMs = 60_000
const maxPauseMs = 15_000

export interface EventStreamOptions {
  /** Opens the stream, after the last event ID if there is one. */
  readonly open: (query: string, lastId: string | undefined, signal: AbortSignal) => Promise<Response>
  readonly onEvent: (type: string, data: Record<string, string>) => void
  /** Called when events may be missing, so that all cached state is invalid. */
  readonly onGap: () => void
}

/**
 * Reads the service's events while they are used, and reconnects after a lost connection. Does not keep the process
 * alive.
 *
 * The service determines how fresh the stream is. Each heartbeat contains a time since the stream opened, and all
 * events up to that time have been sent. The stream opened no earlier than the client requested it. So a delay, a
 * buffer, or a lost connection makes the known state look older than it is, never newer. No clock is compared with the
 * clock of another machine.
 */
export function createEventStream({ open, onEvent, onGap }: EventStreamOptions) {
  let lastId: string | undefined
  let freshUntil: Moment | undefined
  /** Set by each use, because setting a flag costs almost nothing. `isUsed` reads and clears it. */
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
    const requestedAt = moment()
    const silence = startDeadline(silentMs, signal)
    try {
      const response = await open(`heartbeat=${heartbeatSec}`, lastId, silence.signal)
      const type = response.headers.get('content-type') ?? ''
      if (response.status !== 200 || !type.startsWith('text/event-stream') || !response.body) {
        await response.body?.cancel()
        throw new Error(`The event stream returned ${response.status}.`)
      }
      for await (const frame of readFrames(response.body, silence.extend)) {
        applyFrame(frame, requestedAt)
        if (!isUsed()) return
      }
    } finally {
      silence.release()
    }
  }

  const applyFrame = ({ id, event, data, retry, comment }: Frame, requestedAt: Moment) => {
    if (event !== undefined && data !== undefined) {
      if (event === 'reset') onGap()
      else onEvent(event, JSON.parse(data))
    }
    if (id !== undefined) {
      // The stream resumes after an ID, so no event is missing from the first ID on.
      if (lastId === undefined) onGap()
      lastId = id
    }
    if (retry !== undefined) retryMs = Number(retry)
    // A proxy may send its own comments, which prove only that the connection is alive.
    if (comment !== undefined && /^\d+$/.test(comment))
      freshUntil = plus(requestedAt, Number(comment) + freshMs)
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
    /** Returns true while all events older than a few seconds are known. */
    isFresh: (now: Moment) => freshUntil !== undefined && !isPast(freshUntil, now),
    close() {
      running?.abort()
      running = undefined
      freshUntil = undefined
    },
  }
}
