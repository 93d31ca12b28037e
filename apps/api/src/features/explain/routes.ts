import { explain as contract } from '@rolecall/contract'
import { type Router, tooMany } from '#platform/http/router'
import type { RateLimiter } from '#platform/rate-limit/rate-limiter'
import type { Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import type { Decisions } from './decisions.ts'
import { explain } from './explain.ts'

/** The dependencies of explanations that `app.ts` passes. */
export interface ExplainNeeds {
  readonly decisions: Decisions
  /** Limits the explanations of each admin, because each one sends requests to Discord. */
  readonly limiter: RateLimiter
}

/** Registers the endpoint that explains a sign-in to an admin. */
export function explainRoutes({ route }: Router<Callers>, deps: Deps, { decisions, limiter }: ExplainNeeds) {
  route(contract.explain, async ({ caller, body }) => {
    const verdict = await limiter.consume(caller.id)
    if (!verdict.allowed) throw tooMany(limiter, verdict)
    return explain({ ...deps, decisions }, body)
  })
}
