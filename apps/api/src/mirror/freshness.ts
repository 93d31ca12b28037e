import { withTimeout } from '#platform/async'
import { ApiError } from '#platform/http/api-error'
import { chatPlatformUnavailable } from '#platform/http/problem'
import type { Refreshed } from './mirror-deps.ts'

/**
 * How far mirrored roles may be believed: the gateway vouches for them (`live`), they were read a moment ago (`rest`),
 * they are what there is while the platform does not answer (`mirror`), or they are not to be served (`too old`).
 */
export type Freshness = 'live' | 'rest' | 'mirror' | 'too old'

/** How old roles may be for a use. */
export interface FreshnessTerms {
  /** Without the gateway, roles of this age are not asked for again; 0: always. */
  readonly youngMs: number
  /** Older ones are not served, whatever the platform does. */
  readonly maxAgeMs: number
}

/** The longest wait for the chat platform. */
const maxWaitMs = 2_000
const maxMirrorAgeMs = 24 * 60 * 60 * 1000
/** Who is a System Admin fails closed, and soon. */
const maxAdminAgeMs = 5 * 60 * 1000

/** For what projects are told. */
export const memberTerms = (permissionTtlMs: number): FreshnessTerms => ({
  youngMs: permissionTtlMs,
  maxAgeMs: maxMirrorAgeMs,
})

/** For deciding who administers the service. */
export const adminTerms = (permissionTtlMs: number): FreshnessTerms => ({
  youngMs: Math.min(permissionTtlMs, maxAdminAgeMs),
  maxAgeMs: maxAdminAgeMs,
})

/** Roles as they are mirrored, at one moment. */
export interface Mirrored {
  /** True while the gateway vouches for their server. */
  readonly isLive: boolean
  /** Since the platform told of them, or confirmed them. */
  readonly ageMs: number
}

export function freshnessOf({ isLive, ageMs }: Mirrored, { youngMs, maxAgeMs }: FreshnessTerms): Freshness {
  if (isLive) return 'live'
  if (youngMs > 0 && ageMs <= youngMs) return 'rest'
  return ageMs <= maxAgeMs ? 'mirror' : 'too old'
}

export const isFresh = (mirrored: Mirrored, terms: FreshnessTerms): boolean => {
  const freshness = freshnessOf(mirrored, terms)
  return freshness === 'live' || freshness === 'rest'
}

/** Whether mirrored roles may be served at all, while the platform says nothing. */
export const isServable = (mirrored: Mirrored, terms: FreshnessTerms): boolean =>
  freshnessOf(mirrored, terms) !== 'too old'

interface Asked<T> {
  readonly known: T | undefined
  readonly terms: FreshnessTerms
  /** Asks the chat platform. */
  readonly refresh: () => Promise<Refreshed>
  /** Reads what is mirrored, after the platform was asked. */
  readonly reread: () => Promise<T | undefined>
}

/** What was asked about, and where its roles come from when the gateway does not vouch for them. */
export interface Freshest<T> {
  readonly known: T
  readonly source: 'rest' | 'mirror'
}

/**
 * The freshest that can be said: what is fresh at once, else after the platform was asked, for which nobody waits longer
 * than two seconds; then what is mirrored. `known` is undefined when there is nobody.
 * @throws CHAT_PLATFORM_UNAVAILABLE when the platform says nothing, and what is mirrored is too little or too old
 */
export async function freshest<T extends Mirrored>(asked: Asked<T>): Promise<Freshest<T | undefined>> {
  const { known, terms, refresh, reread } = asked
  if (known && isFresh(known, terms)) return { known, source: 'rest' }
  if ((await answered(refresh)) === 'fresh') return { known: await reread(), source: 'rest' }
  if (!known || !isServable(known, terms)) throw chatPlatformUnavailable()
  return { known, source: 'mirror' }
}

/** What the platform said in time. Whoever may not ask is told so; any other failure leaves what is mirrored. */
async function answered(refresh: () => Promise<Refreshed>): Promise<Refreshed> {
  try {
    return await withTimeout(refresh(), maxWaitMs)
  } catch (error) {
    if (error instanceof ApiError) throw error
    return 'unavailable'
  }
}
