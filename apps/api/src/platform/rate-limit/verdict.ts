export interface Verdict {
  allowed: boolean
  /** Nothing was counted, because the cache is unreachable. */
  paused?: boolean
  limit: number
  /**
   * How many more may pass, as this instance knows: without what others hold unused, and before what they have counted
   * since it asked, which is a fifth of a second ago at most while it answers. Exact where it asks for each.
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
