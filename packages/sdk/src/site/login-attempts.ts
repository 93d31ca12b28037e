import type { Login } from '../mint-login.ts'
import { type Cookie, dropped } from './cookies.ts'
import type { Sealer } from './seal.ts'

/** As long as the service keeps its side of a login. */
const ttlSec = 600
/** The cookie stays longer, so that whoever comes late is told so. */
const cookieTtlSec = 3_600
/** Each tab may have one under way; cookies that nobody comes back for must not fill the browser's room. */
const mostAttempts = 5

/** Why a login cannot be finished in this browser. */
type LostAttempt = 'LOGIN_NOT_FOUND' | 'LOGIN_UNREADABLE' | 'LOGIN_EXPIRED'

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
  const open = async (cookies: ReadonlyMap<string, string>, name: string): Promise<Attempt | LostAttempt> => {
    const value = cookies.get(name)
    if (!value) return 'LOGIN_NOT_FOUND'
    const opened = await sealer.open(name, value)
    if (!opened) return 'LOGIN_UNREADABLE'
    const [state, codeVerifier, returnTo, startedAtMs] = JSON.parse(opened.text) as [
      string,
      string,
      string,
      number,
    ]
    const isOver = Date.now() - startedAtMs > ttlSec * 1_000
    return isOver ? 'LOGIN_EXPIRED' : { state, codeVerifier, returnTo, startedAtMs }
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
        others.map(async (other) => {
          const attempt = await open(cookies, other)
          return { other, at: typeof attempt === 'string' ? 0 : attempt.startedAtMs }
        }),
      )
      const surplus = ages.sort((one, two) => two.at - one.at).slice(mostAttempts - 1)
      return [{ name, value, maxAgeSec: cookieTtlSec }, ...surplus.map(({ other }) => dropped(other))]
    },

    /** The login that this browser began with a state, and the cookie that ends it; or why there is none. */
    async finish(
      cookies: ReadonlyMap<string, string>,
      state: string,
    ): Promise<{ attempt: Attempt; ended: Cookie } | LostAttempt> {
      const name = nameOf(state)
      const attempt = await open(cookies, name)
      if (typeof attempt === 'string') return attempt
      return attempt.state === state ? { attempt, ended: dropped(name) } : 'LOGIN_NOT_FOUND'
    },
  }
}
