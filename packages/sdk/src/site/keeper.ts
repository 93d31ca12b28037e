import type { Pair } from '../login.ts'
import { RolecallError } from '../rolecall-error.ts'
import type { Sealer } from './seal.ts'
import type { SessionStore } from './settings.ts'

/** A session as it is stored between requests, without its roles: they would be those at sign-in. */
export interface Kept extends Pair {
  /** The time at which this pair was issued. */
  readonly obtainedAtMs: number
  readonly expiresAtMs: number
}

interface Found {
  readonly kept: Kept
  /** Sealed with a secret that has been replaced. */
  readonly isOld: boolean
}

/** Stores sessions so that the next request finds them by the value of its cookie. */
export interface Keeper {
  /** Returns the session of a cookie, or undefined if this app has not made it. */
  read(cookie: string): Promise<Found | undefined>
  /** Stores a session and returns the value of its cookie. `before` is the previous value. */
  write(kept: Kept, before?: string): Promise<string>
  remove(cookie: string): Promise<void>
  /** True if all instances of the app see each other's writes. */
  readonly isShared: boolean
}

/** The number of decrypted cookies that are cached; the oldest are evicted. */
const maxOpened = 10_000

/** Stores the session in the cookie, sealed. */
export function createCookieKeeper(sealer: Sealer, purpose: string): Keeper {
  const opened = new Map<string, Found>()
  return {
    isShared: false,
    async read(cookie) {
      const known = opened.get(cookie)
      if (known) return known
      const found = parse(await sealer.open(purpose, cookie))
      if (!found) return undefined
      if (opened.size >= maxOpened) opened.clear()
      opened.set(cookie, found)
      return found
    },
    write: (kept) => sealer.seal(purpose, print(kept)),
    async remove(cookie) {
      opened.delete(cookie)
    },
  }
}

/**
 * Stores the session in the app's store, under a name in the cookie. It is sealed, so that reading the store signs no
 * one in.
 */
export function createStoreKeeper(sealer: Sealer, purpose: string, store: SessionStore): Keeper {
  const idOf = async (cookie: string) => (await sealer.open(purpose, cookie))?.text
  return {
    isShared: true,
    async read(cookie) {
      const name = await sealer.open(purpose, cookie)
      const value = name && (await reached(() => store.get(name.text)))
      if (!value) return undefined
      const found = parse(await sealer.open(`${purpose} ${name.text}`, value))
      return found && { kept: found.kept, isOld: found.isOld || name.isOld }
    },
    async write(kept, before) {
      const id = (before && (await idOf(before))) || `rolecall:${crypto.randomUUID()}`
      const ttlSec = Math.max(1, Math.ceil((kept.expiresAtMs - Date.now()) / 1_000))
      const value = await sealer.seal(`${purpose} ${id}`, print(kept))
      await reached(() => store.set(id, value, ttlSec))
      return sealer.seal(purpose, id)
    },
    async remove(cookie) {
      const id = await idOf(cookie)
      if (id !== undefined) await reached(() => store.delete(id))
    },
  }
}

/** Treats a failing store like a failing service: it is unknown which member is signed in. */
async function reached<Value>(ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask()
  } catch (cause) {
    throw new RolecallError('NETWORK_ERROR', 'The session store does not respond.', { cause })
  }
}

const print = ({ token, refreshToken, obtainedAtMs, expiresAtMs }: Kept) =>
  JSON.stringify([token, refreshToken, Math.floor(obtainedAtMs / 1_000), Math.floor(expiresAtMs / 1_000)])

/** Opened values were sealed here, so their parts are valid. */
function parse(opened: { text: string; isOld: boolean } | undefined): Found | undefined {
  if (!opened) return undefined
  const [token, refreshToken, obtainedAt, expiresAt] = JSON.parse(opened.text) as [
    string,
    string,
    number,
    number,
  ]
  const kept = { token, refreshToken, obtainedAtMs: obtainedAt * 1_000, expiresAtMs: expiresAt * 1_000 }
  return { kept, isOld: opened.isOld }
}
