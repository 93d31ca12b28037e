export interface CountTerms {
  readonly limit: number
  readonly from: number
  /** The counter disappears so long after it was first added to. */
  readonly windowMs: number
}

export interface Counted {
  /** How many were added. */
  readonly counted: number
  /** Of the counter, after adding. */
  readonly total: number
}

/**
 * What the service may ask of its cache.
 *
 * A cache is advice. No call here throws or rejects, and none takes longer than the cache's deadline:
 * what could not be asked is a miss, and what could not be written is forgotten. The two questions where
 * a wrong guess would matter, `count` and `claim`, answer `undefined` instead, so that the caller has to
 * say what it does without a cache.
 *
 * Keys and channels are the caller's to keep apart and free of secrets: they are stored as they are.
 * Values read back are untrusted text; whoever reads one checks it.
 */
export interface Cache {
  readonly kind: 'memory' | 'redis'

  /**
   * Grows whenever the connection was lost: from then on what the cache knew may be gone, because a server that
   * starts again or takes over for another is always met on a new connection.
   */
  generation(): number

  /** The last known state, without asking. False until a fresh Redis connection has answered once. */
  isUp(): boolean

  /** Asks now, more than once where one answer is late, and true means that the cache takes writes. Answers within 1.5 s. */
  ping(): Promise<boolean>

  get(key: string): Promise<string | undefined>

  set(key: string, value: string, ttlMs: number): Promise<void>

  /** Tried even when the cache looks down: a lost deletion would keep the old value alive until its time is up. */
  delete(key: string): Promise<void>

  /**
   * Adds `by` to a counter, atomically across instances, and returns its total after adding. The counter
   * disappears `windowMs` after it was first added to. `undefined`: the cache is unreachable, and whether
   * the addition took place is unknown. The memory cache answers at once, without a promise.
   */
  count(key: string, by: number, windowMs: number): number | undefined | Promise<number | undefined>

  /**
   * Adds up to `by` to a counter, and never so much that its total exceeds `limit`; atomically across instances. A
   * counter that is not there begins at `from`. `undefined`: the cache is unreachable, and whether the addition
   * took place is unknown.
   */
  countUpTo(key: string, by: number, terms: CountTerms): Promise<Counted | undefined>

  /** Takes `by` off a counter that is still there, and never below zero. */
  giveBack(key: string, by: number): Promise<void>

  /** True for exactly one caller per key until `ttlMs` have passed. `undefined`: unreachable, and it may or may not have been claimed. */
  claim(key: string, ttlMs: number): Promise<boolean | undefined>

  /** Delivered at most once to every subscriber connected at that moment, the publishing instance included. */
  publish(channel: string, message: string): Promise<void>

  /**
   * Calls the listener for each message until the returned function is called. Survives reconnects, but what
   * was published while the connection was gone is lost. The listener must not throw.
   */
  subscribe(channel: string, listener: (message: string) => void): () => void

  /** Afterwards every call answers as if the cache were unreachable. */
  close(): Promise<void>
}
