export interface Verdict {
  allowed: boolean
  /** Nothing was counted, because the cache is unreachable. */
  paused?: boolean
  limit: number
  /**
   * The number of requests that may still pass, as this instance knows: without the unused shares of others, and
   * without their counts since its last request, which is at most a fifth of a second old. Exact if it requests each
   * one.
   */
  remaining: number
  /** Whole seconds until the window ends, at least 1. */
  resetSec: number
}

/** draft-ietf-httpapi-ratelimit-headers-10: both are structured lists with one item, the policy's name. */
export function limitHeaders({ limit, ttlMs, name }: { limit: number; ttlMs: number; name: string }) {
  const policy = `"${name}";q=${limit};w=${Math.max(1, Math.ceil(ttlMs / 1000))}`
  return ({ allowed, paused, remaining, resetSec }: Verdict): Record<string, string> => {
    if (limit === 0 || paused) return {}
    const fields = { RateLimit: `"${name}";r=${remaining};t=${resetSec}`, 'RateLimit-Policy': policy }
    return allowed ? fields : { ...fields, 'Retry-After': String(resetSec) }
  }
}
