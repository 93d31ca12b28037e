/**
 * The reliability of mirrored roles: the gateway vouches for them (`live`), they were read a moment ago (`rest`),
 * they are the best available while the platform does not answer (`mirror`), or they must not be served (`too
 * old`).
 */
export type Freshness = 'live' | 'rest' | 'mirror' | 'too old'

/** The age that roles may have for a use. */
export interface FreshnessTerms {
  /** Without the gateway, younger roles are not requested again. With 0, roles are always requested. */
  readonly youngMs: number
  /** Older roles are never served, even during an outage of the platform. */
  readonly maxAgeMs: number
}

const maxMirrorAgeMs = 24 * 60 * 60 * 1000
/** Five minutes, so that access to the administration soon fails closed. */
const maxAdminAgeMs = 5 * 60 * 1000

/** Returns the terms for responses to projects. */
export const memberTerms = (permissionTtlMs: number): FreshnessTerms => ({
  youngMs: permissionTtlMs,
  maxAgeMs: maxMirrorAgeMs,
})

/** Returns the terms for access to the administration. */
export const adminTerms = (permissionTtlMs: number): FreshnessTerms => ({
  youngMs: Math.min(permissionTtlMs, maxAdminAgeMs),
  maxAgeMs: maxAdminAgeMs,
})

/** Mirrored roles at one moment. */
export interface Mirrored {
  /** True while the gateway vouches for their server. */
  readonly isLive: boolean
  /** The time since the platform reported or confirmed them. */
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

/** Returns true if mirrored roles may be served while the platform does not answer. */
export const isServable = (mirrored: Mirrored, terms: FreshnessTerms): boolean =>
  freshnessOf(mirrored, terms) !== 'too old'
