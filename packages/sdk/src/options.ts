import type { CacheOptions } from './session-cache.ts'
import type { CallOptions } from './transport.ts'

/** Options of a `Rolecall` client. */
export interface RolecallOptions {
  /** Address of the service, as browsers use it: `https://rolecall.example`. */
  readonly baseUrl: string | URL
  /** The project's API key, `rck_…`. Keep it on your server, and never send it to a browser. */
  readonly apiKey: string
  /** Timeout of one call in milliseconds, including its retries. Default 10,000. */
  readonly timeoutMs?: number
  /**
   * The maximum number of retries after a failed attempt. Default 2. Only calls that are safe to repeat are retried:
   * reads, checks, logouts, and submissions with an `idempotencyKey`, but never an exchange or a refresh. Every retry
   * starts within three seconds after the first attempt.
   */
  readonly retries?: number
  /**
   * Lets `validate()` return sessions from a cache, which the service's events keep current. Use it in long-lived
   * processes, and call `close()` at the end. By default, each `validate()` sends a request to the service.
   */
  readonly cache?: boolean | CacheOptions
  /** The `fetch` to use for all requests, e.g. one with a proxy. Default: the `fetch` of the runtime. */
  readonly fetch?: typeof fetch
}

/** Options of `validate()`. */
export interface ValidateOptions extends CallOptions {
  /**
   * Overrides the client's `cache` for this call. True returns the session from the cache if possible. False always
   * sends a request to the service.
   */
  readonly cache?: boolean
}
