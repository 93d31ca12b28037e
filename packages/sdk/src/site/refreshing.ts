import { startTimer } from '../deadline.ts'
import type { Rolecall } from '../rolecall.ts'
import { RolecallError } from '../rolecall-error.ts'
import type { SessionStorage, StoredSession } from './session-storage.ts'

/** The result of a refresh. */
export type Refreshed =
  /** The session has a new pair. */
  | { readonly kind: 'rotated'; readonly stored: StoredSession; readonly cookie: string }
  /** Another instance of the app refreshed the pair first, and its new pair is unknown here. */
  | { readonly kind: 'superseded' }
  /** The session of the pair has ended, so the pair was not refreshed. */
  | { readonly kind: 'unchanged' }

/** The pending and recent refreshes, by the refresh token that they replace. */
export type Flights = Map<string, Flight>

interface Flight {
  readonly startedAtMs: number
  readonly result: Promise<Refreshed>
}

/** The time for which a refresh is remembered, in milliseconds. No request with the old cookie arrives later. */
const maxFlightAgeMs = 120_000
/**
 * The number of reads of the app's store for the pair of another instance, and the pause between them in milliseconds.
 */
const storedPolls = { times: 10, ms: 100 }

/** The refreshes of the sessions of one app. */
export type Refreshing = ReturnType<typeof createRefreshing>

/**
 * Refreshes each pair of tokens at most once.
 *
 * A refresh invalidates both old tokens at once, and only its response contains the new ones. But browsers send several
 * requests with the same cookie. So all requests with the old pair share one refresh: those that arrive while it is
 * pending, and those up to two minutes later.
 *
 * The service treats a used pair as stolen, and revokes its session. So a pair is checked before it is refreshed, and a
 * refresh without a response is not retried.
 */
export function createRefreshing(
  client: Pick<Rolecall, 'validate' | 'refresh'>,
  storage: SessionStorage,
  flights: Flights,
) {
  const refresh = async (stored: StoredSession, cookie: string): Promise<Refreshed> => {
    if (!(await client.validate(stored.token, { cache: false }))) {
      return (await waitForStored(stored, cookie)) ?? { kind: 'unchanged' }
    }
    try {
      const { expiresAt, ...pair } = await client.refresh(stored)
      const next = { ...pair, obtainedAtMs: Date.now(), expiresAtMs: Date.parse(expiresAt) }
      return { kind: 'rotated', stored: next, cookie: await storage.write(next, cookie) }
    } catch (error) {
      if (!(error instanceof RolecallError)) throw error
      if (error.code === 'REFRESH_TOKEN_SUPERSEDED')
        return (await waitForStored(stored, cookie)) ?? { kind: 'superseded' }
      if (error.status === 401) return { kind: 'unchanged' }
      throw error
    }
  }

  /** Returns the pair with which another instance has replaced this one in the app's store. */
  const readStored = async (stored: StoredSession, cookie: string): Promise<Refreshed | undefined> => {
    const found = storage.isShared ? await storage.read(cookie) : undefined
    if (!found || found.stored.refreshToken === stored.refreshToken) return undefined
    return { kind: 'rotated', stored: found.stored, cookie }
  }
  /** Waits until another instance, which refreshed first, has stored its pair. Gives up after one second. */
  const waitForStored = async (stored: StoredSession, cookie: string): Promise<Refreshed | undefined> => {
    for (let i = 0; storage.isShared && i < storedPolls.times; i++) {
      const found = await readStored(stored, cookie)
      if (found) return found
      await new Promise<void>((resolve) => startTimer(resolve, storedPolls.ms))
    }
    return undefined
  }

  const removeOld = () => {
    // A Map keeps the order of insertion, so the oldest refresh comes first.
    for (const [key, { startedAtMs }] of flights) {
      if (Date.now() - startedAtMs < maxFlightAgeMs) return
      flights.delete(key)
    }
  }
  /** Returns the pending or recent refresh of a pair. */
  const resultFor = ({ refreshToken }: StoredSession): Promise<Refreshed> | undefined => {
    removeOld()
    return flights.get(refreshToken)?.result
  }

  return {
    resultFor,

    /** Returns the result that replaced a pair, if this process or the app's store knows it. */
    replacementOf: async (stored: StoredSession, cookie: string): Promise<Refreshed | undefined> =>
      (await resultFor(stored)) ?? readStored(stored, cookie),

    /** Refreshes a pair, or joins its pending refresh. Rejects during an outage. */
    refresh(stored: StoredSession, cookie: string): Promise<Refreshed> {
      const pending = resultFor(stored)
      if (pending) return pending
      const key = stored.refreshToken
      const result = refresh(stored, cookie)
      flights.set(key, { startedAtMs: Date.now(), result })
      const remove = () => flights.delete(key)
      result.then(({ kind }) => kind === 'rotated' || remove(), remove)
      return result
    },
  }
}

/**
 * Returns true after half of a pair's lifetime. More frequent refreshes would leave more requests with an old pair.
 */
export const isDue = ({ obtainedAtMs, expiresAtMs }: StoredSession): boolean =>
  Date.now() > obtainedAtMs + (expiresAtMs - obtainedAtMs) / 2
