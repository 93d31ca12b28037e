import { setTimeout as sleep } from 'node:timers/promises'
import { within } from '#platform/async'
import { uuidv7 } from '#platform/crypto/uuid'
import { DatabaseUnavailable } from '#platform/db/database'
import type { Log } from '#platform/log'

/** Between two looks: a burst of changes is one. */
const pauseMs = 20
/** An orderly end works on what is due for so long. */
const flushMs = 3_000
/** What was done is written down for so long before it is left to be done again. */
const maxSettlingMs = 8_000

/** Works on queues in the database, at most so many at once, and each at most once over all instances. */
export interface QueueWorkers {
  start(): void
  /** Something was written: look at once. */
  wake(): void
  /** Works on what is due, within a few seconds, and stops. What is left stays where it is. */
  close(): Promise<void>
}

interface Options {
  readonly log: Log
  /** What is worked on, for the log. */
  readonly what: string
  /** Queues that one instance works on at once. */
  readonly maxAtOnce: number
  /** How often every instance looks for what others wrote, and for pauses that are over. */
  readonly everyMs: number
  /** Claims as many queues at most under this name. */
  readonly claim: (claim: string, limit: number) => Promise<readonly string[]>
  /** Works on a claimed queue until there is nothing to do, or `signal` says stop; gives it back. */
  readonly work: (queue: string, claim: string, signal: AbortSignal) => Promise<void>
  /** False while nothing may be claimed. */
  readonly mayClaim?: () => boolean
}

/**
 * Every instance runs these. They share the work by claims on queues: a claim ends with its work, or by itself when its
 * instance was killed.
 */
export function createQueueWorkers(options: Options): QueueWorkers {
  const { log, what, maxAtOnce, everyMs, claim, work, mayClaim = () => true } = options
  /** The queues that are worked on, and how to hang up. */
  const running = new Map<Promise<void>, AbortController>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let again = false
  let isStopped = false

  const run = (queue: string, name: string) => {
    const hangUp = new AbortController()
    const done = work(queue, name, hangUp.signal)
      .catch((error: unknown) => {
        // The claim ends by itself, and the next holder goes on where this one stopped.
        if (!(error instanceof DatabaseUnavailable)) log.error({ err: error, queue }, `${what} failed`)
      })
      .finally(() => {
        running.delete(done)
        wake()
      })
    running.set(done, hangUp)
  }
  const look = async () => {
    const free = maxAtOnce - running.size
    if (free <= 0 || !mayClaim()) return
    const name = uuidv7()
    for (const queue of await claim(name, free)) run(queue, name)
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
        // An outage is logged once, by `availability.ts`, and the next look is soon.
        if (!(error instanceof DatabaseUnavailable)) log.error({ err: error }, `${what}: claiming failed`)
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
      await within(idle(), flushMs, undefined)
      isStopped = true
      await looking
      for (const hangUp of running.values()) hangUp.abort()
      await idle()
    },
  }
}

/** Writes down what was done. A database that is away for a moment must not make it happen twice. */
export async function persistently<T>(write: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + maxSettlingMs
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || performance.now() > deadline) throw error
      await sleep(250)
    }
  }
}
