import type { Login } from '../mint-login.ts'
import { type Cookie, dropped } from './cookies.ts'
import type { Sealer } from './seal.ts'

/** The maximum duration of a sign-in, in seconds. The service has the same limit. */
const ttlSec = 600
/** The lifetime of the cookie in seconds. It exceeds `ttlSec`, so that a member who returns too late sees why. */
const cookieTtlSec = 3_600
/**
 * The maximum number of pending sign-ins per browser. Each tab may have one, but abandoned cookies must not make the
 * `Cookie` header too long.
 */
const maxAttempts = 5

/** The reasons why a sign-in cannot be finished in this browser. */
type LostAttempt = 'LOGIN_NOT_FOUND' | 'LOGIN_UNREADABLE' | 'LOGIN_EXPIRED'

interface Attempt extends Login {
  readonly returnTo: string
  readonly startedAtMs: number
}

/**
 * Stores each pending sign-in in a sealed cookie of its own, named after its state. So several tabs can sign in at
 * once, and only the browser that started a sign-in can finish it.
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
    /**
     * Returns the cookies to set at the start of a sign-in. If there are too many, they also delete the oldest ones.
     */
    async begin(cookies: ReadonlyMap<string, string>, { state, codeVerifier }: Login, returnTo: string) {
      const name = nameOf(state)
      const value = await sealer.seal(name, JSON.stringify([state, codeVerifier, returnTo, Date.now()]))
      // Counts only names of the right length. Any other name is not one of ours, and may be too long for a cookie.
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
     * Returns the sign-in that this browser started with a state, and the cookie that deletes it. If there is none,
     * returns the reason.
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
