import type { Pair } from '../login.ts'
import { RolecallError } from '../rolecall-error.ts'
import type { Sealer } from './seal.ts'
import type { SessionStore } from './settings.ts'

/** A session as it is kept between requests. Roles are not: they would be those of the login. */
export interface Kept extends Pair {
  /** When this pair was got. */
  readonly obtainedAtMs: number
  readonly expiresAtMs: number
}

interface Found {
  readonly kept: Kept
  /** Sealed by a secret that has been replaced. */
  readonly isOld: boolean
}

/** Puts sessions where the next request finds them, by the value of its cookie. */
export interface Keeper {
  /** Undefined for whatever this app has not made. */
  read(cookie: string): Promise<Found | undefined>
  /** The value of the cookie that finds it, `before` being the one that it had. */
  write(kept: Kept, before?: string): Promise<string>
  remove(cookie: string): Promise<void>
  /** Instances of the app see each other's writes. */
  readonly isShared: boolean
}

/** Opened once, a cookie is known for as long as it is among the latest. */
const mostOpened = 10_000

/** The cookie is the session, sealed. */
export function createCookieKeeper(sealer: Sealer, purpose: string): Keeper {
  const opened = new Map<string, Found>()
  return {
    isShared: false,
    async read(cookie) {
      const known = opened.get(cookie)
      if (known) return known
      const found = parse(await sealer.open(purpose, cookie))
      if (!found) return undefined
      if (opened.size >= mostOpened) opened.clear()
      opened.set(cookie, found)
      return found
    },
    write: (kept) => sealer.seal(purpose, print(kept)),
    async remove(cookie) {
      opened.delete(cookie)
    },
  }
}

/** The cookie names the session, and the app's store has it: sealed too, so that who reads the store logs in nowhere. */
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

/** A store that cannot be asked is like a service that cannot: nobody can tell who is logged in. */
async function reached<Value>(ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask()
  } catch (cause) {
    throw new RolecallError('NETWORK_ERROR', 'The store of sessions does not answer.', { cause })
  }
}

const print = ({ token, refreshToken, obtainedAtMs, expiresAtMs }: Kept) =>
  JSON.stringify([token, refreshToken, Math.floor(obtainedAtMs / 1_000), Math.floor(expiresAtMs / 1_000)])

/** What was opened was sealed here, so that its parts are what they were. */
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
