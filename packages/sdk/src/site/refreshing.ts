import { startTimer } from '../deadline.ts'
import type { Rolecall } from '../rolecall.ts'
import { RolecallError } from '../rolecall-error.ts'
import type { SessionStorage, StoredSession } from './session-storage.ts'

/** The result of a refresh. */
export type Refreshed =
  /** The session has a new pair. */
  | { readonly kind: 'rotated'; readonly stored: StoredSession; readonly cookie: string }
  /** Another instance refreshed the pair first, and its new pair is unknown here. */
  | { readonly kind: 'superseded' }
  /** The pair was not refreshed, because it is not live. */
  | { readonly kind: 'unchanged' }

/** Refreshes that are under way or recent, by the refresh token that they replace. */
export type Flights = Map<string, Flight>

interface Flight {
  readonly startedAtMs: number
  readonly result: Promise<Refreshed>
}

/** How long a refresh is remembered, in milliseconds: longer than requests with the old cookie can be on their way. */
const maxFlightAgeMs = 120_000
/**
 * The polls for the pair of another instance that has refreshed, but not stored its pair yet: their number and pause.
 */
const storedPolls = { times: 10, ms: 100 }

export type Refreshing = ReturnType<typeof createRefreshing>

/**
 * Refreshes each pair at most once.
 *
 * A refresh ends both old tokens at once, and only its own response contains the new ones. So a request with the old
 * pair, during the refresh or up to two minutes later, receives the result of that refresh instead of starting another.
 * A pair that is not live is never sent, because the service would treat it as stolen, and end the session. For the
 * same reason a refresh without a response is not retried.
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

  /** Returns the pair that another instance has stored in the meantime, if the app has a store. */
  const readStored = async (stored: StoredSession, cookie: string): Promise<Refreshed | undefined> => {
    const found = storage.isShared ? await storage.read(cookie) : undefined
    if (!found || found.stored.refreshToken === stored.refreshToken) return undefined
    return { kind: 'rotated', stored: found.stored, cookie }
  }
  /** Waits for the pair of another instance that was first, and may be about to store it. */
  const waitForStored = async (stored: StoredSession, cookie: string): Promise<Refreshed | undefined> => {
    for (let i = 0; storage.isShared && i < storedPolls.times; i++) {
      const found = await readStored(stored, cookie)
      if (found) return found
      await new Promise<void>((resolve) => startTimer(resolve, storedPolls.ms))
    }
    return undefined
  }

  const removeOld = () => {
    // The map is in the order of starts.
    for (const [key, { startedAtMs }] of flights) {
      if (Date.now() - startedAtMs < maxFlightAgeMs) return
      flights.delete(key)
    }
  }

  return {
    /** Returns the refresh of this pair that is under way or recent. */
    resultFor: ({ refreshToken }: StoredSession): Promise<Refreshed> | undefined =>
      flights.get(refreshToken)?.result,

    /** Returns the replacement of a pair that is no longer live, if this process or the app's store has it. */
    replacementOf: async (stored: StoredSession, cookie: string): Promise<Refreshed | undefined> =>
      (await flights.get(stored.refreshToken)?.result) ?? readStored(stored, cookie),

    /**
     * Refreshes a pair, or joins the refresh that is under way. Rejects during an outage; the pair is then unchanged.
     */
    refresh(stored: StoredSession, cookie: string): Promise<Refreshed> {
      removeOld()
      const key = stored.refreshToken
      const pending = flights.get(key)
      if (pending) return pending.result
      const result = refresh(stored, cookie)
      flights.set(key, { startedAtMs: Date.now(), result })
      const remove = () => flights.delete(key)
      result.then(({ kind }) => kind === 'rotated' || remove(), remove)
      return result
    },
  }
}

/**
 * Returns true after half of the lifetime. Earlier refreshes would concern more requests that still have the old pair.
 */
export const isDue = ({ obtainedAtMs, expiresAtMs }: StoredSession): boolean =>
  Date.now() > obtainedAtMs + (expiresAtMs - obtainedAtMs) / 2
