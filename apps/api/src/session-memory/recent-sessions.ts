import type { Session } from './session.ts'

/**
 * Caches sessions by token digest, up to a number of bytes. Evicts sessions that were not used recently, with the
 * "second chance" algorithm: the oldest session is evicted, unless it was used since its last turn. A used session
 * moves to the end of the queue instead. So a use only sets a flag, and costs the same in a cache of any size.
 */
export class RecentSessions {
  readonly #byDigest = new Map<string, Session>()
  readonly #maxBytes: number
  readonly #onDrop: (session: Session) => void
  #first: Session | undefined
  #last: Session | undefined
  #bytes = 0

  constructor(maxBytes: number, onDrop: (session: Session) => void) {
    this.#maxBytes = maxBytes
    this.#onDrop = onDrop
  }

  get size(): number {
    return this.#byDigest.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Returns the session of a token, and marks it as used. */
  use(digest: string): Session | undefined {
    const session = this.#byDigest.get(digest)
    if (session) session.wasUsed = true
    return session
  }

  add(session: Session): void {
    this.dropByDigest(session.tokenDigest)
    this.#byDigest.set(session.tokenDigest, session)
    this.#append(session)
    this.#bytes += session.bytes
    while (this.#bytes > this.#maxBytes && this.#first && this.#first !== this.#last)
      this.#evictOrSpare(this.#first)
  }

  dropByDigest(digest: string): void {
    const session = this.#byDigest.get(digest)
    if (session) this.drop(session)
  }

  drop(session: Session): void {
    session.wasDropped = true
    this.#byDigest.delete(session.tokenDigest)
    this.#unlink(session)
    this.#bytes -= session.bytes
    this.#onDrop(session)
  }

  /** Clears the cache. Does not call `onDrop`. */
  clear(): void {
    for (const session of this.#byDigest.values()) session.wasDropped = true
    this.#byDigest.clear()
    this.#first = undefined
    this.#last = undefined
    this.#bytes = 0
  }

  #evictOrSpare(oldest: Session): void {
    if (!oldest.wasUsed) {
      this.drop(oldest)
      return
    }
    oldest.wasUsed = false
    this.#unlink(oldest)
    this.#append(oldest)
  }

  #append(session: Session): void {
    session.previous = this.#last
    session.next = undefined
    if (this.#last) this.#last.next = session
    else this.#first = session
    this.#last = session
  }

  #unlink(session: Session): void {
    const { previous, next } = session
    session.previous = undefined
    session.next = undefined
    if (previous) previous.next = next
    else this.#first = next
    if (next) next.previous = previous
    else this.#last = previous
  }
}
