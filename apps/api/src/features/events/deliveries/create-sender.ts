import { createQueueWorkers, type QueueWorkers } from '#platform/queue-workers'
import type { Deps } from '../../../deps.ts'
import { claimEndpoints } from './queue-store.ts'
import { type SendDeps, sendEvents } from './send-events.ts'

/** Receivers that one instance sends to at once; those that failed or took long wait for each other and for nobody else. */
const maxCalm = 24
const maxInTrouble = 8
/** From a commit to its event: half of this on average. */
const everyMs = 250

/** Sends events to the webhooks of projects, at least once each and in order within a member. */
export function createEventSender({ log, ...deps }: SendDeps & Pick<Deps, 'log'>): QueueWorkers {
  const workers = [false, true].map((isInTrouble) =>
    createQueueWorkers({
      log,
      what: 'sending events',
      maxAtOnce: isInTrouble ? maxInTrouble : maxCalm,
      everyMs,
      claim: async (claim, limit) =>
        (await claimEndpoints(deps.db, claim, limit, isInTrouble)).map(({ projectId }) => projectId),
      work: (projectId, claim, signal) => sendEvents(deps, { projectId, claim }, signal),
    }),
  )
  const each = (run: (one: QueueWorkers) => void) => () => workers.forEach(run)
  return {
    start: each((one) => one.start()),
    wake: each((one) => one.wake()),
    close: async () => {
      await Promise.all(workers.map((one) => one.close()))
    },
  }
}
