import type { RefreshMember } from '#mirror/mirror-deps'
import { createFairQueue, type FairQueue, QueueFull } from '#platform/fair-queue'
import { tooMany } from '#platform/http/router'
import type { RateLimiter } from '#platform/rate-limit/rate-limiter'
import type { ReadForProject } from '../../deps.ts'

/**
 * The limits for one server. The platform answers one of these reads at a time, so reads for projects delay a sign-in
 * or a validate by at most two reads.
 */
const shares = {
  maxAtOnce: 2,
  maxAtOncePerCaller: 1,
  maxWaiting: 500,
  maxWaitingPerCaller: 50,
  maxWaitMs: 2_000,
  lastEveryMs: 0,
}

interface ProjectReadDeps {
  readonly refreshMember: RefreshMember
  readonly readUnknownMember: RefreshMember
  /** Limits the members outside the mirror that one project may ask for. */
  readonly limiter: RateLimiter
}

/**
 * Reads members that a project names: projects take turns, and each has a budget for members that the mirror does not
 * know.
 */
export function createProjectReads({
  refreshMember,
  readUnknownMember,
  limiter,
}: ProjectReadDeps): ReadForProject {
  const queues = new Map<string, FairQueue>()
  const queueOf = (serverId: string) => {
    const queue = queues.get(serverId) ?? createFairQueue(shares)
    queues.set(serverId, queue)
    return queue
  }
  return async ({ projectId, serverId, memberId }, isKnown) => {
    if (!isKnown) {
      const verdict = await limiter.take(projectId)
      if (!verdict.allowed) throw tooMany(limiter, verdict)
    }
    const ask = isKnown ? refreshMember : readUnknownMember
    try {
      return await queueOf(serverId).run(projectId, () => ask(serverId, memberId))
    } catch (error) {
      if (error instanceof QueueFull) return 'unavailable'
      throw error
    }
  }
}
