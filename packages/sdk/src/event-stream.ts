import { startDeadline, startTimer } from './deadline.ts'
import { type Moment, moment, msSince, plus } from './moment.ts'

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
 * The service's events, for as long as somebody uses them, across lost connections.
 *
 * How fresh it is comes from the service: each heartbeat says up to how long after the opening everything has been
 * sent. The opening was no earlier than our request for it, so whatever delays, holds up or cuts the connection
 * makes what we know look older than it is, never newer. No clock is compared with another machine's.
 */
export function createEventStream({ open, onEvent, onGap }: EventStreamOptions) {
  let lastId: string | undefined
  let vouched: Moment | undefined
  let used = moment()
  let running: AbortController | undefined
  let retryMs = 1_000

  const isUsed = () => msSince(used) < unusedMs

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
      const reader = response.body.getReader()
      const decoder = new TextDecoder()
      let text = ''
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        silence.extend()
        const frames = (text + decoder.decode(value, { stream: true })).split('\n\n')
        text = frames.pop() ?? ''
        for (const frame of frames) take(frame, asked)
        if (!isUsed()) return await reader.cancel()
      }
    } finally {
      silence.release()
    }
  }

  const take = (frame: string, asked: Moment) => {
    const fields = new Map(frame.split('\n').map(splitField))
    const { id, event, data, retry } = Object.fromEntries(fields)
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
    const beat = fields.get('')
    if (beat !== undefined) vouched = plus(asked, Number(beat))
  }

  const run = async (signal: AbortSignal) => {
    let failures = 0
    while (isUsed() && !signal.aborted) {
      failures = await connect(signal).then(
        () => 0,
        () => failures + 1,
      )
      const pauseMs = Math.min(retryMs * 2 ** Math.max(0, failures - 1), longestPauseMs)
      if (isUsed()) await pause(pauseMs * (0.5 + Math.random() / 2), signal)
    }
  }

  return {
    /** Says that somebody wants to know: opens the stream, or keeps it open. */
    use() {
      used = moment()
      if (running) return
      const controller = new AbortController()
      running = controller
      run(controller.signal).finally(() => {
        if (running === controller) running = undefined
      })
    },
    /** True while everything that happened more than some seconds ago is known. */
    isFresh: () => vouched !== undefined && msSince(vouched) <= freshMs,
    close() {
      running?.abort()
      running = undefined
      vouched = undefined
    },
  }
}

/** `name: value`; a comment has the empty name. */
function splitField(line: string): [string, string] {
  const cut = line.indexOf(':')
  return cut < 0 ? [line, ''] : [line.slice(0, cut), line.slice(cut + 1).trimStart()]
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = startTimer(end, ms)
    signal.addEventListener('abort', end)
  })
