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
   * The ID of the event to resume after; the service keeps events for 24 hours. By default the feed starts with new
   * events.
   */
  readonly after?: string
  /** Ends the iteration, which then throws the signal's reason. */
  readonly signal?: AbortSignal
  /** Called each time the connection is lost or temporarily refused. The feed reconnects automatically. */
  readonly onError?: (error: RolecallError) => void
}

const heartbeatSec = 5
/** The time, in milliseconds, after which a connection that receives nothing is closed. */
const silentMs = 20_000
const maxPauseMs = 15_000

/**
 * The events of a project, in order and across lost connections. Each arrives at least once. A feed does not repeat an
 * event that its loop has handled.
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
   * The ID of the last event that has been handled. It is set once the stream is open, also before the first event.
   * Store it, and pass it as `after` to resume there.
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

/** Returns true if a retry may succeed. An error that the client caused is final. */
const isTemporary = ({ status }: RolecallError) => status === undefined || status === 429 || status >= 500
