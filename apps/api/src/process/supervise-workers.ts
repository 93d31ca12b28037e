import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import type { Log } from '#platform/log'
import { answerWorkersMetrics } from '#platform/metrics/cluster-metrics'
import { graceMs, shutDownOnce, stopSignals } from './graceful-shutdown.ts'
import { checkEveryMs, createWorkerWatch, isHeartbeat } from './worker-heartbeat.ts'

const program = fileURLToPath(new URL('../../bin/worker.cjs', import.meta.url))
/** The error codes for a message to a process that has ended. */
const channelGone = ['EPIPE', 'ECONNRESET', 'ERR_IPC_CHANNEL_CLOSED']
const restartAfterMs = 1_000
const noProcess = 'worker not created: raise the limits on open files, processes, and memory'
/**
 * A worker ends itself when its time for a stop (`graceMs`) is over. A worker that cannot is killed after this
 * additional time.
 */
const overdueMs = 500

/** How a worker ended: by itself, by a signal, or by an error before it existed. */
interface WorkerEnd {
  readonly worker?: number | undefined
  readonly code: number | null
  readonly signal?: string | null
  readonly err?: unknown
}

/**
 * Runs the service in several processes that share one port (`WORKERS`). This process serves no requests itself.
 *
 * The first worker starts alone: it applies the migrations, and if it refuses to start, its error is printed only once.
 * Then the others start. A worker that exits is replaced. A worker that hangs is killed, which works even if its event
 * loop is blocked, and is then replaced. A signal to stop is passed on to all workers, which may also have received it
 * themselves. This process ends after the last worker.
 */
export function superviseWorkers(count: number, log: Log): void {
  let hasListened = false
  let isStopping = false
  let exitCode = 0
  let allEnded = () => {}
  const ended = new Promise<void>((resolve) => {
    allEnded = resolve
  })
  // Not `cluster.workers`, which may still contain a worker at its `exit`, until its channel closes.
  const workers = new Set<Worker>()
  const hung = new Set<Worker>()
  const watch = createWorkerWatch<Worker>(() => performance.now())
  const fork = () => {
    if (isStopping) return
    let worker: Worker
    try {
      worker = cluster.fork()
    } catch (err) {
      replace(noProcess, { err, code: 1 })
      return
    }
    workers.add(worker)
    watch.started(worker)
    worker.on('error', (err: NodeJS.ErrnoException) => {
      // A process that was never created has no event `exit`.
      if (worker.process.pid === undefined) {
        delete cluster.workers?.[worker.id]
        if (forget(worker)) replace(noProcess, { err, code: 1 })
        return
      }
      // A message to a worker that has just ended, for example a request for its metrics. The event `exit` reports the
      // end.
      if (!channelGone.includes(err.code ?? '')) throw err
    })
  }
  const forget = (worker: Worker) => {
    watch.ended(worker)
    return workers.delete(worker)
  }
  // Starts another worker, or ends the service after the last one if it is stopping, or has not started yet.
  const replace = (why: string, { worker, code, signal, err }: WorkerEnd) => {
    if (hasListened && !isStopping) {
      log.error({ worker, code, signal, err }, `${why}; starting another`)
      setTimeout(fork, restartAfterMs)
      return
    }
    // A worker that is still loading ends by the signal itself.
    const wasAsked = isStopping && stopSignals.some((one) => one === signal)
    if (err || (signal && !wasAsked)) log.error({ worker, signal, err }, `${why}; stopping the service`)
    exitCode = Math.max(exitCode, code ?? (wasAsked ? 0 : 1))
    if (workers.size > 0) return
    if (!isStopping) process.exit(exitCode)
    allEnded()
  }
  // Sets a new timer after each check, because an interval would make up for missed checks.
  const checkAgain = () => {
    for (const worker of watch.findHung()) {
      hung.add(worker)
      worker.process.kill('SIGKILL')
    }
    setTimeout(checkAgain, checkEveryMs).unref()
  }
  const signalAll = (signal: NodeJS.Signals) => {
    for (const worker of workers) worker.process.kill(signal)
  }

  answerWorkersMetrics()
  cluster.on('listening', () => {
    if (hasListened) return
    hasListened = true
    for (let worker = 1; worker < count; worker++) fork()
  })
  cluster.on('message', (worker, message) => {
    if (isHeartbeat(message)) watch.recordHeartbeat(worker)
  })
  cluster.on('exit', (worker, code: number | null, signal: string | null) => {
    const why = hung.delete(worker) ? 'worker killed: it stopped responding' : 'worker exited'
    forget(worker)
    replace(why, { worker: worker.process.pid, code, signal })
  })
  shutDownOnce(log, {
    withinMs: graceMs + 2 * overdueMs,
    stop: async (why) => {
      isStopping = true
      if (workers.size === 0) return exitCode
      setTimeout(() => signalAll('SIGKILL'), graceMs + overdueMs)
      // Only after SIGTERM does a worker wait for clients to switch to other instances.
      signalAll(why === 'SIGTERM' ? 'SIGTERM' : 'SIGINT')
      await ended
      return exitCode
    },
  })
  cluster.setupPrimary({ exec: program })
  fork()
  checkAgain()
}
