import type { ChatPost } from '#chat/chat-webhook'
import { createQueueWorkers, type QueueWorkers } from '#platform/queue-workers'
import type { Deps } from '../../deps.ts'
import { type DeliverDeps, deliverQueue } from './deliver-queue.ts'
import { claimQueues } from './queue-store.ts'

/** Projects that one instance posts for at once: as many may hang without delaying the next. */
const maxAtOnce = 16
const everyMs = 1_000
/** The network edge blocks our address and does not say for how long. */
const blockedMs = 10_000

type DelivererDeps = Omit<DeliverDeps, 'answered' | 'mayAsk'> & Pick<Deps, 'log'>

/** Posts notifications to webhooks of projects, at least once each and in order within a project. */
export function createDeliverer({ log, ...deps }: DelivererDeps): QueueWorkers {
  let silentUntil = 0
  // Such a limit is about our network address, which other instances need not share.
  const answered = ({ outcome, isGlobal, pauseMs: asked = blockedMs }: ChatPost) => {
    if (outcome === 'limited' && isGlobal) silentUntil = Math.max(silentUntil, performance.now() + asked)
  }
  const mayAsk = () => performance.now() >= silentUntil
  return createQueueWorkers({
    log,
    what: 'posting notifications',
    maxAtOnce,
    everyMs,
    mayClaim: mayAsk,
    claim: async (claim, limit) =>
      (await claimQueues(deps.db, claim, limit)).map(({ projectId }) => projectId),
    work: (projectId, claim, signal) =>
      deliverQueue({ ...deps, answered, mayAsk }, { projectId, claim }, signal),
  })
}
