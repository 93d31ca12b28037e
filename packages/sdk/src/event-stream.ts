import { startDeadline, startTimer } from './deadline.ts'
import { type Frame, readFrames } from './event-frames.ts'
import { isPast, type Moment, moment, plus } from './moment.ts'
import { pause } from './retry.ts'

/** The heartbeat interval, in seconds, that the client requests. */
const heartbeatSec = 1
/**
 * The time, in milliseconds, for which a heartbeat confirms the cache. It is shorter than the guaranteed five seconds,
 * to leave a margin.
 */
const freshMs = 4_000
/** The time, in milliseconds, after which a connection that receives nothing is closed. */
const silentMs = 5_000
/** The time, in milliseconds, after which an unused stream is closed. The next use opens it again. */
const unusedMs = 60_000
/** The maximum pause, in milliseconds, before the stream is opened again. */
const maxPauseMs = 15_000

/** The parts of `createEventStream` that its user provides. */
export interface EventStreamOptions {
  /** Requests the stream. With `lastId`, the service resumes after the event with this ID. */
  readonly open: (query: string, lastId: string | undefined, signal: AbortSignal) => Promise<Response>
  readonly onEvent: (type: string, data: Record<string, string>) => void
  /** Called when events may be missing. All cached state is then invalid. Also called when the first stream starts. */
  readonly onGap: () => void
}

/**
 * Reads the service's events while a cache uses them, and reconnects after a lost connection. Does not keep the process
 * alive.
 *
 * Heartbeats tell how fresh the stream is. Each heartbeat contains a number of milliseconds since the stream opened,
 * and the service has sent every event up to that time. This client adds the number to the time at which it requested
 * the stream, which is never later than the opening. So a delay, a buffer, or a lost connection makes the known state
 * look older than it is, never newer. No clock is compared with the clock of another machine.
 */
export function createEventStream({ open, onEvent, onGap }: EventStreamOptions) {
  let lastId: string | undefined
  let freshUntil: Moment | undefined
  /**
   * True if the stream was used since `isUsed` last looked. A use only sets this flag, because reading the clock would
   * cost more on a path that serves each session check.
   */
  let isWanted = false
  let wantedUntil = moment()
  let running: AbortController | undefined
  let retryMs = 1_000

  /** Returns true if the stream was used within the last `unusedMs`. Clears `isWanted`. */
  const isUsed = () => {
    const now = moment()
    if (isWanted) wantedUntil = plus(now, unusedMs)
    isWanted = false
    return !isPast(wantedUntil, now)
  }

  /**
   * Reads one connection until it ends, or until the stream is no longer used. Rejects if the service refuses the
   * stream or the connection fails.
   */
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
      // From the first ID on, each reconnection resumes after the last ID, so no event is missing. Events before the
      // first ID were never received.
      if (lastId === undefined) onGap()
      lastId = id
    }
    if (retry !== undefined) retryMs = Number(retry)
    // A heartbeat is a comment with a number. A proxy may add other comments, which prove only that the connection is
    // alive.
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
    /** Returns true while a recent heartbeat confirms that all events older than five seconds have arrived. */
    isFresh: (now: Moment) => freshUntil !== undefined && !isPast(freshUntil, now),
    /** Closes the connection. The next use opens it again. */
    close() {
      running?.abort()
      running = undefined
      freshUntil = undefined
    },
  }
}
