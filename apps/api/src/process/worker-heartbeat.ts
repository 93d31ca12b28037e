import cluster from 'node:cluster'

/** The interval at which workers send heartbeats, and the primary checks them. */
export const checkEveryMs = 500
/** The number of checks in a row without a heartbeat after which a worker counts as hung. They take 10 s. */
const checksUntilHung = 20
/**
 * The same before the first heartbeat, 60 s: a worker first loads its program, which takes longer if all workers start
 * at once.
 */
const checksUntilStarted = 120
const heartbeat = { type: 'rolecall:alive' } as const

/**
 * Sends heartbeats to the primary for as long as the event loop of this worker runs, the first one immediately. Does
 * nothing in a process that is not a worker.
 */
export function sendHeartbeats(): void {
  if (!cluster.isWorker) return
  let isSending = false
  const send = () => {
    // If the primary does not read, only one heartbeat waits for it, not all of them.
    if (isSending || !process.connected) return
    isSending = true
    process.send?.(heartbeat, undefined, undefined, () => {
      isSending = false
    })
  }
  send()
  setInterval(send, checkEveryMs).unref()
}

/** Returns true if a message from a worker is a heartbeat. */
export const isHeartbeat = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === heartbeat.type

/**
 * Creates a watchdog that finds workers whose event loop is blocked. It counts checks, not time. If the primary itself
 * was suspended or slow, its check is late and says nothing about the workers: it is not counted, and the workers have
 * a whole interval to send the next heartbeat.
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
    /** Returns the workers that this check finds hung. Call it every `checkEveryMs`. */
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
