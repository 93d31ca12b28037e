/** The decision about one request. */
export interface Verdict {
  allowed: boolean
  /** True if nothing was counted, because the cache is unreachable. The request is allowed. */
  paused?: boolean
  limit: number
  /**
   * The number of further requests that are allowed, as far as this instance knows. It does not count the unused shares
   * of other instances, nor the requests that they have allowed since the counter was last read, at most a fifth of a
   * second ago. It is exact if the instance queries the cache for every request.
   */
  remaining: number
  /** The number of whole seconds until the window ends, at least 1. */
  resetSec: number
}

/**
 * Creates the function that returns the headers for a verdict, as draft-ietf-httpapi-ratelimit-headers-10 defines them:
 * two structured lists with one item each, named like the limiter.
 */
export function limitHeaders({ limit, windowMs, name }: { limit: number; windowMs: number; name: string }) {
  const policy = `"${name}";q=${limit};w=${Math.max(1, Math.ceil(windowMs / 1000))}`
  return ({ allowed, paused, remaining, resetSec }: Verdict): Record<string, string> => {
    if (limit === 0 || paused) return {}
    const fields = { RateLimit: `"${name}";r=${remaining};t=${resetSec}`, 'RateLimit-Policy': policy }
    return allowed ? fields : { ...fields, 'Retry-After': String(resetSec) }
  }
}
