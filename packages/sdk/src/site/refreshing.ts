import { startTimer } from '../deadline.ts'
import type { Rolecall } from '../rolecall.ts'
import { RolecallError } from '../rolecall-error.ts'
import type { Keeper, Kept } from './keeper.ts'

/** What came of a refresh: a new pair, a sibling elsewhere that was first, or the old pair as before. */
export type Refreshed =
  | { readonly kind: 'rotated'; readonly kept: Kept; readonly cookie: string }
  | { readonly kind: 'superseded' }
  | { readonly kind: 'unchanged' }

/** Refreshes under way and made lately, by the refresh token that they replace. */
export type Flights = Map<string, Flight>

interface Flight {
  readonly startedAtMs: number
  readonly result: Promise<Refreshed>
}

/** Requests that left with the old cookie arrive so much later at most. The service keeps its grace for 30 s. */
const rememberedMs = 120_000
/** How long another instance is waited for that has refreshed and not stored yet. */
const waits = { times: 10, ms: 100 }

export type Refreshing = ReturnType<typeof createRefreshing>

/**
 * Replaces pairs, once each.
 *
 * What can happen when: a refresh ends both old values at once, and only its own answer has the new ones. So whoever
 * brings the old pair meanwhile, or for two minutes after, gets the result of that one refresh instead of asking for
 * another. A pair that is not live is never sent: the service would take it for a stolen one, and end the session.
 * An answer that does not arrive is not asked for again, for the same reason.
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

  /** What another instance has stored meanwhile, where the app has a store. */
  const stored = async (kept: Kept, cookie: string): Promise<Refreshed | undefined> => {
    const found = keeper.isShared ? await keeper.read(cookie) : undefined
    if (!found || found.kept.refreshToken === kept.refreshToken) return undefined
    return { kind: 'rotated', kept: found.kept, cookie }
  }
  /** The same of one that has been first, and may be about to store. */
  const winnersPair = async (kept: Kept, cookie: string): Promise<Refreshed | undefined> => {
    for (let i = 0; keeper.isShared && i < waits.times; i++) {
      const found = await stored(kept, cookie)
      if (found) return found
      await new Promise<void>((resolve) => startTimer(resolve, waits.ms))
    }
    return undefined
  }

  const forgetOld = () => {
    // In the order in which they began.
    for (const [key, { startedAtMs }] of flights) {
      if (Date.now() - startedAtMs < rememberedMs) return
      flights.delete(key)
    }
  }

  return {
    /** The refresh of this pair that is under way or was made lately. */
    resultFor: ({ refreshToken }: Kept): Promise<Refreshed> | undefined => flights.get(refreshToken)?.result,

    /** What has replaced a pair that is not live any more, as far as that is known here. */
    replacementOf: async (kept: Kept, cookie: string): Promise<Refreshed | undefined> =>
      (await flights.get(kept.refreshToken)?.result) ?? stored(kept, cookie),

    /** Refreshes, or joins whoever does. Rejects when nobody can tell, and the pair is then as it was. */
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

/** Less than half of its life is left: refreshing is seldom, as each time requests under way have the old one. */
export const isDue = ({ obtainedAtMs, expiresAtMs }: Kept): boolean =>
  Date.now() > obtainedAtMs + (expiresAtMs - obtainedAtMs) / 2
