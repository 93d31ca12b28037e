import type { Login } from '../mint-login.ts'
import { type Cookie, dropped } from './cookies.ts'
import type { Sealer } from './seal.ts'

/** The lifetime of a sign-in in seconds, the same as at the service. */
const ttlSec = 600
/** The lifetime of the cookie in seconds. It is longer, so that a late sign-in gets an explanation. */
const cookieTtlSec = 3_600
/**
 * The maximum number of sign-ins that are under way in a browser. Each tab may have one, but abandoned cookies must not
 * fill the browser's storage.
 */
const maxAttempts = 5

/** The reasons for which a sign-in cannot be finished in this browser. */
type LostAttempt = 'LOGIN_NOT_FOUND' | 'LOGIN_UNREADABLE' | 'LOGIN_EXPIRED'

interface Attempt extends Login {
  readonly returnTo: string
  readonly startedAtMs: number
}

/**
 * Stores sign-ins that are under way, each in its own cookie, which is named after its state. So the tabs of a browser
 * do not end each other's sign-in, and only the browser that started one can finish it.
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
    /** Returns the cookies that start a sign-in, and that drop the oldest ones if there are too many. */
    async begin(cookies: ReadonlyMap<string, string>, { state, codeVerifier }: Login, returnTo: string) {
      const name = nameOf(state)
      const value = await sealer.seal(name, JSON.stringify([state, codeVerifier, returnTo, Date.now()]))
      // A foreign name may be too long to be deleted.
      const others = [...cookies.keys()].filter(
        (other) => other.startsWith(`${prefix}_`) && other.length === name.length,
      )
      const ages = await Promise.all(
        others.map(async (other) => {
          const attempt = await open(cookies, other)
          return { other, at: typeof attempt === 'string' ? 0 : attempt.startedAtMs }
        }),
      )
      const surplus = ages.sort((one, two) => two.at - one.at).slice(maxAttempts - 1)
      return [{ name, value, maxAgeSec: cookieTtlSec }, ...surplus.map(({ other }) => dropped(other))]
    },

    /**
     * Finds the sign-in that this browser started with a state, and returns it with the cookie that ends it, or the
     * reason for which there is none.
     */
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
