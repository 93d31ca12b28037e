import type { Pair } from '../login.ts'
import { RolecallError } from '../rolecall-error.ts'
import type { Sealer } from './seal.ts'
import type { SessionStore } from './settings.ts'

/** A session as it is stored between requests. Roles are not stored, because they would become outdated. */
export interface StoredSession extends Pair {
  /** The time at which this pair was issued. */
  readonly obtainedAtMs: number
  readonly expiresAtMs: number
}

interface StoredValue {
  readonly stored: StoredSession
  /** True if the session was sealed with an old secret. It should be written again with the first secret. */
  readonly isOldSecret: boolean
}

/** Stores sessions between requests. The value of a cookie identifies a session or contains it. */
export interface SessionStorage {
  /**
   * Returns the session of a cookie. Undefined if this app did not set the cookie, or the session is no longer stored.
   */
  read(cookie: string): Promise<StoredValue | undefined>
  /** Stores a session and returns the value of its cookie. A refresh passes the previous value of the cookie. */
  write(stored: StoredSession, previousCookie?: string): Promise<string>
  remove(cookie: string): Promise<void>
  /** True if all instances of the app see what one of them has written. */
  readonly isShared: boolean
}

/** The maximum number of decrypted cookies that are cached. At the limit, the cache is cleared. */
const maxDecrypted = 10_000

/** Stores each session in its cookie, sealed. */
export function createCookieStorage(sealer: Sealer, purpose: string): SessionStorage {
  const decrypted = new Map<string, StoredValue>()
  return {
    isShared: false,
    async read(cookie) {
      const cached = decrypted.get(cookie)
      if (cached) return cached
      const found = parse(await sealer.open(purpose, cookie))
      if (!found) return undefined
      if (decrypted.size >= maxDecrypted) decrypted.clear()
      decrypted.set(cookie, found)
      return found
    },
    write: (stored) => sealer.seal(purpose, print(stored)),
    async remove(cookie) {
      decrypted.delete(cookie)
    },
  }
}

/**
 * Stores each session in the app's store, under an ID that the cookie contains. The session is sealed, so that reading
 * the store is not enough to use its tokens.
 */
export function createStoreStorage(sealer: Sealer, purpose: string, store: SessionStore): SessionStorage {
  const idOf = async (cookie: string) => (await sealer.open(purpose, cookie))?.text
  return {
    isShared: true,
    async read(cookie) {
      const openedId = await sealer.open(purpose, cookie)
      const value = openedId && (await callStore(() => store.get(openedId.text)))
      if (!value) return undefined
      const found = parse(await sealer.open(`${purpose} ${openedId.text}`, value))
      return found && { stored: found.stored, isOldSecret: found.isOldSecret || openedId.isOld }
    },
    async write(stored, previousCookie) {
      const id = (previousCookie && (await idOf(previousCookie))) || `rolecall:${crypto.randomUUID()}`
      const ttlSec = Math.max(1, Math.ceil((stored.expiresAtMs - Date.now()) / 1_000))
      const value = await sealer.seal(`${purpose} ${id}`, print(stored))
      await callStore(() => store.set(id, value, ttlSec))
      return sealer.seal(purpose, id)
    },
    async remove(cookie) {
      const id = await idOf(cookie)
      if (id !== undefined) await callStore(() => store.delete(id))
    },
  }
}

/** Calls the app's store. Throws a failure as a RolecallError, like an outage, because no session can be determined. */
async function callStore<Value>(call: () => Promise<Value>): Promise<Value> {
  try {
    return await call()
  } catch (cause) {
    throw new RolecallError('NETWORK_ERROR', 'The session store does not respond.', { cause })
  }
}

const print = ({ token, refreshToken, obtainedAtMs, expiresAtMs }: StoredSession) =>
  JSON.stringify([token, refreshToken, Math.floor(obtainedAtMs / 1_000), Math.floor(expiresAtMs / 1_000)])

/** Parses a value from `print`. Needs no checks, because the value was sealed. */
function parse(opened: { text: string; isOld: boolean } | undefined): StoredValue | undefined {
  if (!opened) return undefined
  const [token, refreshToken, obtainedAt, expiresAt] = JSON.parse(opened.text) as [
    string,
    string,
    number,
    number,
  ]
  const stored = { token, refreshToken, obtainedAtMs: obtainedAt * 1_000, expiresAtMs: expiresAt * 1_000 }
  return { stored, isOldSecret: opened.isOld }
}
