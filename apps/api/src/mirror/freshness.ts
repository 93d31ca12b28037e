/**
 * The freshness of mirrored roles: the gateway vouches for them (`live`), they are young enough (`rest`), they are
 * served only while the platform does not respond (`mirror`), or never (`too old`).
 */
export type Freshness = 'live' | 'rest' | 'mirror' | 'too old'

/** The ages that roles may have for a purpose. */
export interface FreshnessTerms {
  /**
   * The age up to which roles are not requested again. Applies while they are not live. With 0, they are always
   * requested.
   */
  readonly youngMs: number
  /** The age up to which roles are served while the platform does not respond. */
  readonly maxAgeMs: number
}

const maxMirrorAgeMs = 24 * 60 * 60 * 1000
/** The maximum age of roles that give access to the administration. It is short, so that such access fails closed. */
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
