import type { EventData } from './contract-types.ts'
import { startDeadline } from './deadline.ts'
import { readFrames } from './event-frames.ts'
import type { OpenStream } from './open-stream.ts'
import { pause } from './retry.ts'
import { errorOf, RolecallError } from './rolecall-error.ts'
import { networkError, parse } from './transport.ts'

/** One event: its `id` to resume after, its `type`, and the `data` of that type. */
export type RolecallEvent = {
  [Name in keyof EventData]: { readonly id: string; readonly type: Name; readonly data: EventData[Name] }
}[keyof EventData]

/** Options of `events()`. */
export interface EventsOptions {
  /**
   * The ID of the event to resume after. The service keeps events for 24 hours. By default, the feed starts with the
   * next new event.
   */
  readonly after?: string
  /** Ends the iteration, which then throws the signal's reason. */
  readonly signal?: AbortSignal
  /**
   * Called when the connection fails or is temporarily refused, but not when the service ends the stream normally, for
   * example at a restart. In all of these cases, the feed reconnects by itself.
   */
  readonly onError?: (error: RolecallError) => void
}

/** The heartbeat interval, in seconds, that the feed requests. */
const heartbeatSec = 5
/** The time, in milliseconds, after which a connection that receives nothing is closed. */
const silentMs = 20_000
/** The maximum pause, in milliseconds, before the feed reconnects, unless the service demands a longer one. */
const maxPauseMs = 15_000

/**
 * The events of a project, in order and across lost connections. Iterate over it with `for await`.
 *
 * Each event arrives at least once. An event counts as handled when the loop requests the next one. A feed does not
 * repeat handled events, not even in a second loop. The iteration ends after `project.disabled`. It throws a
 * `RolecallError` if the service refuses the stream for good, e.g. because of an invalid API key.
 */
export class EventFeed implements AsyncIterable<RolecallEvent> {
  readonly #open: (lastId: string | undefined, signal: AbortSignal) => Promise<Response>
  readonly #baseUrl: string
  readonly #options: EventsOptions
  #lastId: string | undefined

  constructor(
    baseUrl: string,
    headers: Record<string, string>,
    openStream: OpenStream,
    options: EventsOptions,
  ) {
    this.#baseUrl = baseUrl
    this.#options = options
    this.#lastId = options.after
    this.#open = (lastId, signal) =>
      openStream(`${baseUrl}/api/events?heartbeat=${heartbeatSec}`, {
        headers: { accept: 'text/event-stream', ...headers, ...(lastId && { 'last-event-id': lastId }) },
        signal,
      })
  }

  /**
   * The ID to resume after: that of the last handled event or, before the first event, that of the start of the stream.
   * Undefined until the stream is open. Store it, and pass it as `after` later.
   */
  get lastId(): string | undefined {
    return this.#lastId
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RolecallEvent, void, undefined> {
    const { signal, onError } = this.#options
    for (let failures = 0; ; ) {
      signal?.throwIfAborted()
      const silence = startDeadline(silentMs, signal)
      let retryAfterMs = 0
      try {
        for await (const { id, event, data } of this.#frames(silence)) {
          failures = 0
          if (event !== undefined && data !== undefined) {
            yield { id: id ?? this.#lastId ?? '', type: event, data: JSON.parse(data) } as RolecallEvent
          }
          if (id !== undefined) this.#lastId = id
          if (event === 'project.disabled') return
        }
      } catch (reason) {
        signal?.throwIfAborted()
        const error = reason instanceof RolecallError ? reason : networkError(this.#baseUrl, reason)
        if (!isTemporary(error)) throw error
        onError?.(error)
        retryAfterMs = (error.retryAfterSec ?? 0) * 1_000
      } finally {
        silence.release()
      }
      const pauseMs = Math.min(1_000 * 2 ** failures, maxPauseMs) * (0.5 + Math.random() / 2)
      failures += 1
      await pause(Math.max(pauseMs, retryAfterMs), signal ?? new AbortController().signal)
    }
  }

  async *#frames({ signal, extend }: { readonly signal: AbortSignal; extend(): void }) {
    const response = await this.#open(this.#lastId, signal)
    const type = response.headers.get('content-type') ?? ''
    if (response.status !== 200 || !type.startsWith('text/event-stream') || !response.body) {
      throw errorOf(response, parse(await response.text()))
    }
    yield* readFrames(response.body, extend)
  }
}

/** Returns true if a retry may succeed: after 429, 5xx, or no response. Every other status is final. */
const isTemporary = ({ status }: RolecallError) => status === undefined || status === 429 || status >= 500
