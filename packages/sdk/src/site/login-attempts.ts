import type { Login } from '../mint-login.ts'
import { type Cookie, dropped } from './cookies.ts'
import type { Sealer } from './seal.ts'

/** As long as the service keeps its side of a login. */
const ttlSec = 600
/** Each tab may have one under way; cookies that nobody comes back for must not fill the browser's room. */
const mostAttempts = 5

interface Attempt extends Login {
  readonly returnTo: string
  readonly startedAtMs: number
}

/**
 * Logins under way, each in a cookie of its own that is named by its state: tabs of one browser do not end each
 * other's, and only the browser that began one can finish it.
 */
export function createLoginAttempts(sealer: Sealer, prefix: string) {
  const nameOf = (state: string) => `${prefix}_${state.slice(0, 16)}`
  const open = async (cookies: ReadonlyMap<string, string>, name: string): Promise<Attempt | undefined> => {
    const opened = await sealer.open(name, cookies.get(name) ?? '')
    if (!opened) return undefined
    const [state, codeVerifier, returnTo, startedAtMs] = JSON.parse(opened.text) as [
      string,
      string,
      string,
      number,
    ]
    const isOver = Date.now() - startedAtMs > ttlSec * 1_000
    return isOver ? undefined : { state, codeVerifier, returnTo, startedAtMs }
  }
  return {
    /** The cookies that begin a login, and let go of the oldest where there are too many. */
    async begin(cookies: ReadonlyMap<string, string>, { state, codeVerifier }: Login, returnTo: string) {
      const name = nameOf(state)
      const value = await sealer.seal(name, JSON.stringify([state, codeVerifier, returnTo, Date.now()]))
      // A name that is none of ours may be too long to be taken away.
      const others = [...cookies.keys()].filter(
        (other) => other.startsWith(`${prefix}_`) && other.length === name.length,
      )
      const ages = await Promise.all(
        others.map(async (other) => ({ other, at: (await open(cookies, other))?.startedAtMs ?? 0 })),
      )
      const surplus = ages.sort((one, two) => two.at - one.at).slice(mostAttempts - 1)
      return [{ name, value, maxAgeSec: ttlSec }, ...surplus.map(({ other }) => dropped(other))]
    },

    /** The login that this browser began with a state, and the cookie that ends it. */
    async finish(
      cookies: ReadonlyMap<string, string>,
      state: string,
    ): Promise<{ attempt: Attempt; ended: Cookie } | undefined> {
      const name = nameOf(state)
      const attempt = await open(cookies, name)
      return attempt?.state === state ? { attempt, ended: dropped(name) } : undefined
    },
  }
}
