import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatPost } from '#chat/chat-webhook'
import { uuidv7 } from '#platform/crypto/uuid'
import { DatabaseUnavailable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { type DeliverDeps, deliverQueue } from './deliver-queue.ts'
import type { Notifications } from './notifications.ts'
import { claimQueues } from './queue-store.ts'

/** Projects that one instance posts for at once: as many may hang without delaying the next. */
const mostAtOnce = 16
/** How often every instance looks for what others wrote, and for pauses that are over. */
const everyMs = 1_000
/** Between two looks: a burst of changes is one. */
const pauseMs = 20
/** An orderly end posts what is due for so long. */
const flushMs = 3_000
/** The network edge blocks our address and does not say for how long. */
const blockedMs = 10_000

type DelivererDeps = Omit<DeliverDeps, 'answered'> & Pick<Deps, 'log'>

/**
 * Every instance runs one. They share the work by claims on queues, one for each project: a claim ends with
 * its work, or by itself when its instance was killed.
 */
export function createDeliverer({ log, ...deps }: DelivererDeps): Notifications {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let again = false
  let silentUntil = 0

  const answered = ({ outcome, isGlobal, pauseMs: asked = blockedMs }: ChatPost) => {
    if (outcome === 'limited' && isGlobal) silentUntil = performance.now() + asked
  }
  const run = (projectId: string, claim: string) => {
    const work = deliverQueue({ ...deps, answered }, { projectId, claim }, stopping.signal)
      .catch((error: unknown) => {
        // The claim ends by itself, and the next holder goes on where this one stopped.
        if (!(error instanceof DatabaseUnavailable)) log.error({ err: error, projectId }, 'a delivery failed')
      })
      .finally(() => {
        running.delete(work)
        wake()
      })
    running.add(work)
  }
  const look = async () => {
    const free = mostAtOnce - running.size
    if (free <= 0 || performance.now() < silentUntil) return
    const claim = uuidv7()
    for (const { projectId } of await claimQueues(deps.db, claim, free)) run(projectId, claim)
  }
  const lookUntilQuiet = async () => {
    do {
      again = false
      await look()
      if (again) await sleep(pauseMs)
    } while (again && !stopping.signal.aborted)
  }
  const wake = () => {
    again = true
    if (!timer || looking || stopping.signal.aborted) return
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
    while (looking || running.size > 0) await Promise.all([looking, ...running])
  }

  return {
    start: () => {
      timer ??= setInterval(wake, everyMs).unref()
      wake()
    },
    wake,
    async close() {
      if (!timer || stopping.signal.aborted) return
      clearInterval(timer)
      wake()
      await Promise.race([idle(), sleep(flushMs, undefined, { ref: false })])
      stopping.abort()
      await idle()
    },
  }
}
