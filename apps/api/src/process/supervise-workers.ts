import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import type { Log } from '#platform/log'
import { answerWorkersMetrics } from '#platform/metrics/cluster-metrics'
import { graceMs, shutDownOnce } from './graceful-shutdown.ts'
import { checkEveryMs, createWorkerWatch, isHeartbeat } from './worker-heartbeat.ts'

const program = fileURLToPath(new URL('../../bin/worker.cjs', import.meta.url))
/** The error codes of a message to a process that has ended. */
const channelGone = ['EPIPE', 'ECONNRESET', 'ERR_IPC_CHANNEL_CLOSED']
const restartAfterMs = 1_000
/**
 * A worker ends itself when its grace is over. A worker that cannot end itself is killed after this additional time.
 */
const overdueMs = 500

/**
 * Runs the service in several processes that share one port (`WORKERS`). The first starts alone: it applies migrations,
 * and if it refuses to start, the error is printed once. A worker that ends is replaced. A hanging worker is killed,
 * which works even if its event loop is blocked, and then replaced. A stop signal to this process is passed on to all
 * workers, which may have received it already, and this process ends after the last one.
 */
export function superviseWorkers(count: number, log: Log): void {
  let hasListened = false
  let isStopping = false
  let exitCode = 0
  let allEnded = () => {}
  const ended = new Promise<void>((resolve) => {
    allEnded = resolve
  })
  const workers = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
  const hung = new Set<Worker>()
  const watch = createWorkerWatch<Worker>(() => performance.now())
  const fork = () => {
    if (isStopping) return
    const worker = cluster.fork()
    watch.started(worker)
    worker.on('error', (error: NodeJS.ErrnoException) => {
      // A message to a worker that has ended meanwhile, such as a request for its figures: the `exit` event reports
      // that.
      if (!channelGone.includes(error.code ?? '')) throw error
    })
  }
  // The timer is set again each time, because an interval would make up for missed runs.
  const checkAgain = () => {
    for (const worker of watch.findHung()) {
      hung.add(worker)
      worker.process.kill('SIGKILL')
    }
    setTimeout(checkAgain, checkEveryMs).unref()
  }
  const signalAll = (signal: NodeJS.Signals) => {
    for (const worker of workers()) worker.process.kill(signal)
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
  cluster.on('exit', (worker, code: number | null, signal) => {
    const { pid } = worker.process
    const why = hung.delete(worker) ? 'worker killed: it stopped responding' : 'worker exited'
    watch.ended(worker)
    if (hasListened && !isStopping) {
      log.error({ worker: pid, code, signal }, `${why}; starting another`)
      setTimeout(fork, restartAfterMs)
      return
    }
    if (signal === 'SIGKILL') log.error({ worker: pid, signal }, `${why}; stopping the service`)
    exitCode = Math.max(exitCode, code ?? (isStopping && signal !== 'SIGKILL' ? 0 : 1))
    if (workers().length > 0) return
    if (!isStopping) process.exit(exitCode)
    allEnded()
  })
  shutDownOnce(log, {
    withinMs: graceMs + 2 * overdueMs,
    stop: async (why) => {
      isStopping = true
      if (workers().length === 0) return exitCode
      setTimeout(() => signalAll('SIGKILL'), graceMs + overdueMs)
      // Only SIGTERM drains.
      signalAll(why === 'SIGTERM' ? 'SIGTERM' : 'SIGINT')
      await ended
      return exitCode
    },
  })
  cluster.setupPrimary({ exec: program })
  fork()
  checkAgain()
}
