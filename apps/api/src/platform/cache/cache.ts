/** The terms of `countUpTo`. `limit` is the highest total, and `from` the value at which a missing counter starts. */
export interface CountTerms {
  readonly limit: number
  readonly from: number
  /** The lifetime of the counter in milliseconds, beginning with its first addition. */
  readonly windowMs: number
}

/** The result of `countUpTo`. */
export interface Counted {
  /** The number that was added. */
  readonly counted: number
  /** The value of the counter after the addition. */
  readonly total: number
}

/**
 * The cache of the service. Redis or the memory of the process implements it.
 *
 * Callers must also work without the cache. No method throws, rejects, or takes longer than the deadline of the cache.
 * A read that fails finds nothing, and a write that fails is dropped. Only `count` and `countUpTo` report a failure, by
 * returning undefined: a wrong count would matter, so the caller decides what to do.
 *
 * Keys and channels are used as they are. Callers give them a prefix of their own, and put no secrets into them. Values
 * that are read back are untrusted, so the caller validates them.
 */
export interface Cache {
  readonly kind: 'memory' | 'redis'

  /**
   * Returns a number that increases whenever the connection is lost. After that, the cache may be empty: a server that
   * restarts, or takes over from another, always gets a new connection.
   */
  generation(): number

  /**
   * Returns whether the cache was reachable when it was last used. Does not send a request. Returns false until a new
   * Redis connection has answered for the first time.
   */
  isUp(): boolean

  /**
   * Tests the cache now, several times if a response is late. True means that it accepts writes. Takes at most 1.5 s.
   */
  ping(): Promise<boolean>

  /** Returns a value. Returns undefined if it is missing or expired, or if the cache cannot be reached. */
  get(key: string): Promise<string | undefined>

  set(key: string, value: string, ttlMs: number): Promise<void>

  /**
   * Adds `by` to a counter, in one atomic step for all instances, and returns the new total. The counter expires
   * `windowMs` after its first addition. Returns undefined if the cache cannot be reached; the addition may have
   * happened nevertheless. The memory cache returns the result without a promise.
   */
  count(key: string, by: number, windowMs: number): number | undefined | Promise<number | undefined>

  /**
   * Adds at most `by` to a counter, so that its total does not exceed `limit`, in one atomic step for all instances. A
   * missing counter starts at `from`. Returns undefined if the cache cannot be reached; the addition may have happened
   * nevertheless.
   */
  countUpTo(key: string, by: number, terms: CountTerms): Promise<Counted | undefined>

  /** Subtracts `by` from a counter, but not below zero. Does nothing if there is no such counter. */
  subtract(key: string, by: number): Promise<void>

  /**
   * Publishes a message to all subscribers that are connected at this moment, including this instance. Each receives it
   * at most once.
   */
  publish(channel: string, message: string): Promise<void>

  /**
   * Calls the listener for every message on a channel, until the returned function is called. Continues after a
   * reconnect, but messages that were sent in between are lost. The listener must not throw.
   */
  subscribe(channel: string, listener: (message: string) => void): () => void

  /** Closes the cache. Every later call returns the same as during an outage. */
  close(): Promise<void>
}
