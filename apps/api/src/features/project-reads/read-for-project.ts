import type { RefreshMember } from '#mirror/mirror-deps'
import { createFairQueue, type FairQueue, QueueFull } from '#platform/fair-queue'
import { tooMany } from '#platform/http/router'
import type { RateLimiter } from '#platform/rate-limit/rate-limiter'
import type { ReadForProject } from '../../deps.ts'

/**
 * The limits of the queue of a server, on this instance. At most two reads for projects are sent to Discord at a time,
 * so they delay a sign-in or `validate` by at most two reads.
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
  /** Reads a member whom the mirror contains. */
  readonly refreshMember: RefreshMember
  /** Reads a person whom the mirror does not contain. */
  readonly readUnknownMember: RefreshMember
  /** Limits how many people that the mirror does not contain a project may ask for. */
  readonly limiter: RateLimiter
}

/**
 * Creates the function that reads a member from Discord on behalf of a project. The projects take turns, so that none
 * can delay the others. The function returns `unavailable` if the queue is full.
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
      const verdict = await limiter.consume(projectId)
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
