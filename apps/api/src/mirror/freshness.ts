/**
 * The freshness of mirrored roles:
 *
 * - `live`: the gateway guarantees that they are current.
 * - `rest`: they were read recently enough.
 * - `mirror`: they are served only if Discord does not respond.
 * - `too old`: they are not served.
 */
export type Freshness = 'live' | 'rest' | 'mirror' | 'too old'

/** The ages that roles may have for a certain purpose. */
export interface FreshnessTerms {
  /**
   * Roles up to this age are not requested again. Roles that are live have no age limit. With 0, roles that are not
   * live are always requested.
   */
  readonly youngMs: number
  /** Roles up to this age are served if Discord does not respond. */
  readonly maxAgeMs: number
}

const maxMirrorAgeMs = 24 * 60 * 60 * 1000
/**
 * The maximum age of roles that give access to the administration. It is short, so that access ends if Discord cannot
 * confirm the roles.
 */
const maxAdminAgeMs = 5 * 60 * 1000

/** Returns the limits for responses to projects. */
export const memberTerms = (permissionTtlMs: number): FreshnessTerms => ({
  youngMs: permissionTtlMs,
  maxAgeMs: maxMirrorAgeMs,
})

/** Returns the limits for access to the administration. */
export const adminTerms = (permissionTtlMs: number): FreshnessTerms => ({
  youngMs: Math.min(permissionTtlMs, maxAdminAgeMs),
  maxAgeMs: maxAdminAgeMs,
})

/** Roles in the mirror, at one moment. */
export interface RoleAge {
  /** True while the gateway guarantees that the server's mirror is current. */
  readonly isLive: boolean
  /** The time since Discord reported or confirmed the roles. */
  readonly ageMs: number
}

/** Returns how fresh the roles are, for a purpose with these limits. */
export function freshnessOf({ isLive, ageMs }: RoleAge, { youngMs, maxAgeMs }: FreshnessTerms): Freshness {
  if (isLive) return 'live'
  if (youngMs > 0 && ageMs <= youngMs) return 'rest'
  return ageMs <= maxAgeMs ? 'mirror' : 'too old'
}

/** Returns true if the roles can be served without a request to Discord. */
export const isFresh = (mirrored: RoleAge, terms: FreshnessTerms): boolean => {
  const freshness = freshnessOf(mirrored, terms)
  return freshness === 'live' || freshness === 'rest'
}

/** Returns true if the roles may be served when Discord does not respond. */
export const isServable = (mirrored: RoleAge, terms: FreshnessTerms): boolean =>
  freshnessOf(mirrored, terms) !== 'too old'
