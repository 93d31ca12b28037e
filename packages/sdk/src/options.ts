import type { CacheOptions } from './session-cache.ts'
import type { CallOptions } from './transport.ts'

/** Options of a `Rolecall` client. */
export interface RolecallOptions {
  /** Address of the service, the same that browsers use: `https://rolecall.example`. */
  readonly baseUrl: string | URL
  /** The project's API key, `rck_…`. Use it only on the server: never send it to a browser. */
  readonly apiKey: string
  /** Timeout of one call in milliseconds, including its retries. Default 10,000. */
  readonly timeoutMs?: number
  /**
   * The number of retries after a failed attempt, for calls that are safe to repeat: reads, checks, logouts, and
   * submissions with an `idempotencyKey`, but never an exchange or a refresh. All retries start within three seconds of
   * the first attempt. Default 2.
   */
  readonly retries?: number
  /**
   * Lets `validate()` answer from a cache, which the service's events keep current. For long-lived processes: call
   * `close()` at the end. By default, each call sends a request to the service.
   */
  readonly cache?: boolean | CacheOptions
  /** Another `fetch` for all requests, e.g. one with a proxy. Default: the `fetch` of the runtime. */
  readonly fetch?: typeof fetch
}

/** Options of `validate()`. */
export interface ValidateOptions extends CallOptions {
  /**
   * True to answer from the cache if possible, false to send a request to the service. Overrides the client's `cache`.
   */
  readonly cache?: boolean
}
