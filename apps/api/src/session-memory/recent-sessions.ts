import type { Session } from './session.ts'

/**
 * Caches sessions by token digest, bounded in bytes. Evicts sessions that were not used recently, by second chance: a
 * use sets a mark, and a marked session moves to the end of the queue when its turn comes. So a use only sets the mark,
 * for any number of sessions.
 */
export class RecentSessions {
  readonly #byDigest = new Map<string, Session>()
  readonly #maxBytes: number
  readonly #dropped: (session: Session) => void
  #first: Session | undefined
  #last: Session | undefined
  #bytes = 0

  constructor(maxBytes: number, dropped: (session: Session) => void) {
    this.#maxBytes = maxBytes
    this.#dropped = dropped
  }

  get size(): number {
    return this.#byDigest.size
  }

  get bytes(): number {
    return this.#bytes
  }

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
      this.#makeRoom(this.#first)
  }

  dropByDigest(digest: string): void {
    const session = this.#byDigest.get(digest)
    if (session) this.drop(session)
  }

  drop(session: Session): void {
    session.isVoid = true
    this.#byDigest.delete(session.tokenDigest)
    this.#unlink(session)
    this.#bytes -= session.bytes
    this.#dropped(session)
  }

  /** Clears the cache without calling `dropped`. */
  clear(): void {
    for (const session of this.#byDigest.values()) session.isVoid = true
    this.#byDigest.clear()
    this.#first = undefined
    this.#last = undefined
    this.#bytes = 0
  }

  #makeRoom(oldest: Session): void {
    if (!oldest.wasUsed) {
      this.drop(oldest)
      return
    }
    oldest.wasUsed = false
    this.#unlink(oldest)
    this.#append(oldest)
  }

  #append(session: Session): void {
    session.before = this.#last
    session.after = undefined
    if (this.#last) this.#last.after = session
    else this.#first = session
    this.#last = session
  }

  #unlink(session: Session): void {
    const { before, after } = session
    session.before = undefined
    session.after = undefined
    if (before) before.after = after
    else this.#first = after
    if (after) after.before = before
    else this.#last = before
  }
}
