import cluster from 'node:cluster'

/** Heartbeats are sent, and looked for, so often. */
export const lookEveryMs = 500
/** A worker is hung after so many looks in a row without a heartbeat: 10 s. */
const looksUntilHung = 20
/** Before its first heartbeat it loads its program, which takes longer where everything starts at once: 60 s. */
const looksUntilStarted = 120
const heartbeat = { type: 'rolecall:alive' } as const

/** Tells the primary that the event loop of this worker turns. In a process that is no worker it does nothing. */
export function sendHeartbeats(): void {
  if (!cluster.isWorker) return
  let isSending = false
  setInterval(() => {
    // A primary that does not read is sent one heartbeat, and not all that it misses.
    if (isSending || !process.connected) return
    isSending = true
    process.send?.(heartbeat, undefined, undefined, () => {
      isSending = false
    })
  }, lookEveryMs).unref()
}

export const isHeartbeat = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === heartbeat.type

/**
 * Finds workers whose event loop does not turn. Time is counted in looks of the primary, and only in punctual ones: a
 * primary that was suspended, alone or with its machine, or that gets no processor itself, looks late and knows
 * nothing of its workers. After a late look it listens for one whole interval before it counts again.
 */
export function createWorkerWatch<Worker>(now: () => number) {
  const silences = new Map<Worker, { looks: number; hasStarted: boolean }>()
  let dueAt = now() + lookEveryMs

  return {
    started: (worker: Worker) => void silences.set(worker, { looks: 0, hasStarted: false }),
    heard(worker: Worker) {
      if (silences.has(worker)) silences.set(worker, { looks: 0, hasStarted: true })
    },
    ended: (worker: Worker) => void silences.delete(worker),
    /** To be called each `lookEveryMs`: the workers that are found hung by this look. */
    look(): Worker[] {
      const isLate = now() - dueAt > lookEveryMs
      dueAt = now() + lookEveryMs
      if (isLate) return []
      const hung: Worker[] = []
      for (const [worker, silence] of silences) {
        silence.looks += 1
        if (silence.looks === (silence.hasStarted ? looksUntilHung : looksUntilStarted)) hung.push(worker)
      }
      return hung
    },
  }
}
