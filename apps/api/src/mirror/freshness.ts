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
