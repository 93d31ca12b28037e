import { startTimer } from '../deadline.ts'
import type { Rolecall } from '../rolecall.ts'
import { RolecallError } from '../rolecall-error.ts'
import type { Keeper, Kept } from './keeper.ts'

/** The result of a refresh: a new pair, another instance that was first, or the old pair unchanged. */
export type Refreshed =
  | { readonly kind: 'rotated'; readonly kept: Kept; readonly cookie: string }
  | { readonly kind: 'superseded' }
  | { readonly kind: 'unchanged' }

/** Refreshes that are under way or recent, by the refresh token that they replace. */
export type Flights = Map<string, Flight>

interface Flight {
  readonly startedAtMs: number
  readonly result: Promise<Refreshed>
}

/**
 * The maximum delay, in milliseconds, of requests that were sent with the old cookie. The service's grace lasts 30 s.
 */
const rememberedMs = 120_000
/** How long to wait for another instance that has refreshed, but has not stored the pair yet. */
const waits = { times: 10, ms: 100 }

export type Refreshing = ReturnType<typeof createRefreshing>

/**
 * Replaces pairs, once each.
 *
 * A refresh ends both old values at once, and only its own response contains the new ones. So a request with the old
 * pair, during the refresh or up to two minutes later, receives the result of that refresh instead of starting another.
 * A pair that is not live is never sent: the service would treat it as stolen, and end the session. For the same reason
 * a refresh without a response is not retried.
 */
export function createRefreshing(
  client: Pick<Rolecall, 'validate' | 'refresh'>,
  keeper: Keeper,
  flights: Flights,
) {
  const refresh = async (kept: Kept, cookie: string): Promise<Refreshed> => {
    if (!(await client.validate(kept.token, { cache: false }))) {
      return (await winnersPair(kept, cookie)) ?? { kind: 'unchanged' }
    }
    try {
      const { expiresAt, ...pair } = await client.refresh(kept)
      const next = { ...pair, obtainedAtMs: Date.now(), expiresAtMs: Date.parse(expiresAt) }
      return { kind: 'rotated', kept: next, cookie: await keeper.write(next, cookie) }
    } catch (error) {
      if (!(error instanceof RolecallError)) throw error
      if (error.code === 'REFRESH_TOKEN_SUPERSEDED')
        return (await winnersPair(kept, cookie)) ?? { kind: 'superseded' }
      if (error.status === 401) return { kind: 'unchanged' }
      throw error
    }
  }

  /** Returns the pair that another instance has stored in the meantime, if the app has a store. */
  const stored = async (kept: Kept, cookie: string): Promise<Refreshed | undefined> => {
    const found = keeper.isShared ? await keeper.read(cookie) : undefined
    if (!found || found.kept.refreshToken === kept.refreshToken) return undefined
    return { kind: 'rotated', kept: found.kept, cookie }
  }
  /** Waits for the pair of another instance that was first, and may be about to store it. */
  const winnersPair = async (kept: Kept, cookie: string): Promise<Refreshed | undefined> => {
    for (let i = 0; keeper.isShared && i < waits.times; i++) {
      const found = await stored(kept, cookie)
      if (found) return found
      await new Promise<void>((resolve) => startTimer(resolve, waits.ms))
    }
    return undefined
  }

  const forgetOld = () => {
    // In the order of their start.
    for (const [key, { startedAtMs }] of flights) {
      if (Date.now() - startedAtMs < rememberedMs) return
      flights.delete(key)
    }
  }

  return {
    /** Returns the refresh of this pair that is under way or recent. */
    resultFor: ({ refreshToken }: Kept): Promise<Refreshed> | undefined => flights.get(refreshToken)?.result,

    /** Returns the replacement of a pair that is no longer live, if it is known here. */
    replacementOf: async (kept: Kept, cookie: string): Promise<Refreshed | undefined> =>
      (await flights.get(kept.refreshToken)?.result) ?? stored(kept, cookie),

    /**
     * Refreshes a pair, or joins the refresh that is under way. Rejects during an outage; the pair is then unchanged.
     */
    refresh(kept: Kept, cookie: string): Promise<Refreshed> {
      forgetOld()
      const key = kept.refreshToken
      const known = flights.get(key)
      if (known) return known.result
      const result = refresh(kept, cookie)
      flights.set(key, { startedAtMs: Date.now(), result })
      const forget = () => flights.delete(key)
      result.then(({ kind }) => kind === 'rotated' || forget(), forget)
      return result
    },
  }
}

/**
 * True after half of the lifetime. Refreshes are rare, because each one meets requests that still carry the old pair.
 */
export const isDue = ({ obtainedAtMs, expiresAtMs }: Kept): boolean =>
  Date.now() > obtainedAtMs + (expiresAtMs - obtainedAtMs) / 2
