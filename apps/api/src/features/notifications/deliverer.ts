import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatPost } from '#chat/chat-webhook'
import { uuidv7 } from '#platform/crypto/uuid'
import { DatabaseUnavailable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { type DeliverDeps, deliverQueue } from './deliver-queue.ts'
import type { Notifications } from './notifications.ts'
import { claimQueues } from './queue-store.ts'

/** Projects that one instance posts for at once: as many may hang without delaying the next. */
const maxAtOnce = 16
/** How often every instance looks for what others wrote, and for pauses that are over. */
const everyMs = 1_000
/** Between two looks: a burst of changes is one. */
const pauseMs = 20
/** An orderly end posts what is due for so long. */
const flushMs = 3_000
/** The network edge blocks our address and does not say for how long. */
const blockedMs = 10_000

type DelivererDeps = Omit<DeliverDeps, 'answered' | 'mayAsk'> & Pick<Deps, 'log'>

/**
 * Every instance runs one. They share the work by claims on queues, one for each project: a claim ends with
 * its work, or by itself when its instance was killed.
 */
export function createDeliverer({ log, ...deps }: DelivererDeps): Notifications {
  /** The queues that are worked on, and how to hang up. */
  const running = new Map<Promise<void>, AbortController>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let again = false
  let isStopped = false
  let silentUntil = 0

  // Such a limit is about our network address, which other instances need not share.
  const answered = ({ outcome, isGlobal, pauseMs: asked = blockedMs }: ChatPost) => {
    if (outcome === 'limited' && isGlobal) silentUntil = Math.max(silentUntil, performance.now() + asked)
  }
  const mayAsk = () => performance.now() >= silentUntil
  const run = (projectId: string, claim: string) => {
    const hangUp = new AbortController()
    const work = deliverQueue({ ...deps, answered, mayAsk }, { projectId, claim }, hangUp.signal)
      .catch((error: unknown) => {
        // The claim ends by itself, and the next holder goes on where this one stopped.
        if (!(error instanceof DatabaseUnavailable)) log.error({ err: error, projectId }, 'a delivery failed')
      })
      .finally(() => {
        running.delete(work)
        wake()
      })
    running.set(work, hangUp)
  }
  const look = async () => {
    const free = maxAtOnce - running.size
    if (free <= 0 || !mayAsk()) return
    const claim = uuidv7()
    for (const { projectId } of await claimQueues(deps.db, claim, free)) run(projectId, claim)
  }
  const lookUntilQuiet = async () => {
    do {
      again = false
      await look()
      if (again) await sleep(pauseMs)
    } while (again && !isStopped)
  }
  const wake = () => {
    again = true
    if (!timer || looking || isStopped) return
    looking = lookUntilQuiet().then(
      () => {
        looking = undefined
        // One may have come between the last look and this line.
        if (again) wake()
      },
      (error: unknown) => {
        looking = undefined
        // An outage is told elsewhere, and the next second looks again.
        if (!(error instanceof DatabaseUnavailable)) log.error({ err: error }, 'looking for messages failed')
      },
    )
  }
  const idle = async () => {
    while (looking || running.size > 0) await Promise.all([looking, ...running.keys()])
  }

  return {
    start: () => {
      timer ??= setInterval(wake, everyMs).unref()
      wake()
    },
    wake,
    async close() {
      if (!timer || isStopped) return
      clearInterval(timer)
      wake()
      await Promise.race([idle(), sleep(flushMs, undefined, { ref: false })])
      isStopped = true
      await looking
      for (const hangUp of running.values()) hangUp.abort()
      await idle()
    },
  }
}
