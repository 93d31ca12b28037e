import type { CacheOptions } from './session-cache.ts'
import type { CallOptions } from './transport.ts'

export interface RolecallOptions {
  /** Where the service is, as browsers reach it too: `https://rolecall.example`. */
  readonly baseUrl: string | URL
  /** The project's API key, `rck_…`. Server-side only: never ship it to a browser. */
  readonly apiKey: string
  /** Longest time for one call in milliseconds, with what is tried again. Default 10,000. */
  readonly timeoutMs?: number
  /**
   * How often a call that came to nothing is sent again, where that is safe: reads, checks and logouts, and submissions
   * with an `idempotencyKey`; never an exchange or a refresh. Within three seconds of the first try. Default 2.
   */
  readonly retries?: number
  /**
   * Answer `validate()` from memory where possible, kept true by the service's events. For processes that live on;
   * end with `close()`. Default: ask each time.
   */
  readonly cache?: boolean | CacheOptions
  /** Another `fetch`, e.g. one with a proxy, for everything that is asked. Default: the runtime's. */
  readonly fetch?: typeof fetch
}

/** Taken by `validate()`. */
export interface ValidateOptions extends CallOptions {
  /** From memory where possible, or asking each time; instead of the client's `cache`. */
  readonly cache?: boolean
}
