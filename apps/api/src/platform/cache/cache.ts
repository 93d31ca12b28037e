export interface CountTerms {
  readonly limit: number
  readonly from: number
  /** The lifetime of the counter, from its first addition. */
  readonly windowMs: number
}

export interface Counted {
  /** The number that was added. */
  readonly counted: number
  /** The counter after the addition. */
  readonly total: number
}

/**
 * The operations of the service on its cache.
 *
 * Callers must also work without the cache. No call throws, rejects, or exceeds the cache's deadline: a failed read is
 * a miss, and a failed write is dropped. `count` and `countUpTo` return `undefined` instead, because a wrong guess
 * would matter: the caller then decides what to do without a cache.
 *
 * Keys and channels are stored unchanged, so callers separate them by prefixes and put no secrets in them. Returned
 * values are untrusted text, which the caller validates.
 */
export interface Cache {
  readonly kind: 'memory' | 'redis'

  /**
   * Returns a number that grows with each loss of the connection. The cache may then be empty, because a server that
   * restarts or takes over from another is always reached on a new connection.
   */
  generation(): number

  /** Returns the last known state, without a request. False until a fresh Redis connection has answered once. */
  isUp(): boolean

  /**
   * Tests the cache now, more than once if an answer is late. True means that it accepts writes. Returns within 1.5 s.
   */
  ping(): Promise<boolean>

  get(key: string): Promise<string | undefined>

  set(key: string, value: string, ttlMs: number): Promise<void>

  /**
   * Adds `by` to a counter, atomically across instances, and returns its total after the addition. The counter expires
   * `windowMs` after its first addition. `undefined`: the cache is unreachable, and the addition may have taken place.
   * The memory cache returns immediately, without a promise.
   */
  count(key: string, by: number, windowMs: number): number | undefined | Promise<number | undefined>

  /**
   * Adds up to `by` to a counter, but stops at a total of `limit`. Atomic across instances. A missing counter begins at
   * `from`. `undefined`: the cache is unreachable, and the addition may have taken place.
   */
  countUpTo(key: string, by: number, terms: CountTerms): Promise<Counted | undefined>

  /** Subtracts `by` from an existing counter, and never below zero. */
  giveBack(key: string, by: number): Promise<void>

  /**
   * Publishes a message, which is delivered at most once to every subscriber connected at that moment, the publishing
   * instance included.
   */
  publish(channel: string, message: string): Promise<void>

  /**
   * Calls the listener for each message until the returned function is called. Survives reconnects, but messages
   * during the loss of a connection are lost. The listener must not throw.
   */
  subscribe(channel: string, listener: (message: string) => void): () => void

  /** Closes the cache: every later call returns as if it were unreachable. */
  close(): Promise<void>
}
