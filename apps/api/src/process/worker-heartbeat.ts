import cluster from 'node:cluster'

/** The interval at which heartbeats are sent and checked. */
export const checkEveryMs = 500
/** The number of checks in a row without a heartbeat after which a worker is hung: 10 s. */
const checksUntilHung = 20
/**
 * The number of checks before the first heartbeat: a worker loads its program then, which takes longer when
 * everything starts at once: 60 s.
 */
const checksUntilStarted = 120
const heartbeat = { type: 'rolecall:alive' } as const

/**
 * Sends heartbeats to the primary while the event loop of this worker turns. Does nothing in a process that is not a
 * worker.
 */
export function sendHeartbeats(): void {
  if (!cluster.isWorker) return
  let isSending = false
  setInterval(() => {
    // A primary that does not read receives one heartbeat instead of all missed heartbeats.
    if (isSending || !process.connected) return
    isSending = true
    process.send?.(heartbeat, undefined, undefined, () => {
      isSending = false
    })
  }, checkEveryMs).unref()
}

export const isHeartbeat = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === heartbeat.type

/**
 * Finds workers with a blocked event loop. Time is counted in punctual checks of the primary. A primary that was
 * suspended, alone or with its machine, or did not run, checks late, and a late check says nothing about the workers.
 * After a late check it listens for one whole interval before it counts again.
 */
export function createWorkerWatch<Worker>(now: () => number) {
  const silences = new Map<Worker, { missed: number; hasStarted: boolean }>()
  let dueAt = now() + checkEveryMs

  return {
    started: (worker: Worker) => void silences.set(worker, { missed: 0, hasStarted: false }),
    recordHeartbeat(worker: Worker) {
      if (silences.has(worker)) silences.set(worker, { missed: 0, hasStarted: true })
    },
    ended: (worker: Worker) => void silences.delete(worker),
    /** Returns the workers that this check finds hung. The caller runs it every `checkEveryMs`. */
    findHung(): Worker[] {
      const isLate = now() - dueAt > checkEveryMs
      dueAt = now() + checkEveryMs
      if (isLate) return []
      const hung: Worker[] = []
      for (const [worker, silence] of silences) {
        silence.missed += 1
        if (silence.missed === (silence.hasStarted ? checksUntilHung : checksUntilStarted)) hung.push(worker)
      }
      return hung
    },
  }
}
