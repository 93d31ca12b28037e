export interface Verdict {
  allowed: boolean
  /** Nothing was counted, because the cache is unreachable. */
  paused?: boolean
  limit: number
  /**
   * The number of requests that may still pass, according to this instance. It does not include unused shares of other
   * instances, nor their requests since the last reading, which is at most a fifth of a second old. Exact if the
   * instance queries the cache for each request.
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
