import type { RefreshMember } from '#mirror/mirror-deps'
import { createFairQueue, type FairQueue, QueueFull } from '#platform/fair-queue'
import { tooMany } from '#platform/http/router'
import type { RateLimiter } from '#platform/rate-limit/rate-limiter'
import type { ReadForProject } from '../../deps.ts'

/**
 * Of one server, so that what projects ask for never makes the members of everyone else wait: the platform answers
 * one such question at a time, and a login or a validate comes next after at most two.
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
  readonly readStranger: RefreshMember
  /** How many whom the mirror does not know one project may ask for. */
  readonly limiter: RateLimiter
}

/** Reads members whom a project names: in turns by project, and so many strangers as its budget has. */
export function createProjectReads({
  refreshMember,
  readStranger,
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
    const ask = isKnown ? refreshMember : readStranger
    try {
      return await queueOf(serverId).run(projectId, () => ask(serverId, memberId))
    } catch (error) {
      if (error instanceof QueueFull) return 'unavailable'
      throw error
    }
  }
}
