import { startDeadline, startTimer } from './deadline.ts'
import { type Frame, readFrames } from './event-frames.ts'
import { isPast, type Moment, moment, plus } from './moment.ts'
import { pause } from './retry.ts'

/** Heartbeats that the stream is asked for. */
const heartbeatSec = 1
/** What the service vouched for longer ago is no longer relied on. With the rest of a second to 5 s for the unforeseen. */
const freshMs = 4_000
/** A connection on which nothing comes for so long is given up. */
const silentMs = 5_000
/** Nobody has asked for so long: the connection is let go until somebody does. */
const unusedMs = 60_000
const longestPauseMs = 15_000

export interface EventStreamOptions {
  /** Opens the stream, after the last id where there is one. */
  readonly open: (query: string, lastId: string | undefined, signal: AbortSignal) => Promise<Response>
  readonly onEvent: (type: string, data: Record<string, string>) => void
  /** Events may have been missed: nothing that was known before counts any more. */
  readonly onGap: () => void
}

/**
 * The service's events, for as long as somebody uses them, across lost connections. Keeps no process alive.
 *
 * How fresh it is comes from the service: each heartbeat says up to how long after the opening everything has been
 * sent. The opening was no earlier than our request for it, so whatever delays, holds up or cuts the connection
 * makes what we know look older than it is, never newer. No clock is compared with another machine's.
 */
export function createEventStream({ open, onEvent, onGap }: EventStreamOptions) {
  let lastId: string | undefined
  let freshUntil: Moment | undefined
  /** Set by whoever asks, which must cost nothing; read and cleared here. */
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
        throw new Error(`The stream of events was answered with ${response.status}.`)
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
      // From here on every event comes, also across connections.
      if (lastId === undefined) onGap()
      lastId = id
    }
    if (retry !== undefined) retryMs = Number(retry)
    // A proxy may send comments of its own: they say that it is alive, and nothing else.
    if (comment !== undefined && /^\d+$/.test(comment)) freshUntil = plus(asked, Number(comment) + freshMs)
  }

  const run = async (signal: AbortSignal) => {
    let failures = 0
    while (isUsed() && !signal.aborted) {
      failures = await connect(signal).then(
        () => 0,
        () => failures + 1,
      )
      const pauseMs = Math.min(retryMs * 2 ** Math.max(0, failures - 1), longestPauseMs)
      if (isUsed()) await pause(pauseMs * (0.5 + Math.random() / 2), signal, startTimer)
    }
  }

  return {
    /** Says that somebody wants to know: opens the stream, or keeps it open. */
    use() {
      isWanted = true
      if (running) return
      const controller = new AbortController()
      running = controller
      run(controller.signal).finally(() => {
        if (running === controller) running = undefined
      })
    },
    /** True while everything that happened more than some seconds ago is known. */
    isFresh: (now: Moment) => freshUntil !== undefined && !isPast(freshUntil, now),
    close() {
      running?.abort()
      running = undefined
      freshUntil = undefined
    },
  }
}
