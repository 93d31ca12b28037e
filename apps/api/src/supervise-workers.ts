import cluster from 'node:cluster'
import type { Log } from '#platform/log'
import { answerWorkersMetrics } from '#platform/metrics/cluster-metrics'
import { graceMs, stopOnce } from './stop-once.ts'

const restartAfterMs = 1_000
/** A worker ends itself when its grace is over. One that cannot any more is ended so much later. */
const overdueMs = 500

/**
 * Runs the service in several processes that share one port (`WORKERS`). The first starts alone: it applies
 * migrations, and what it refuses ends the start and is told once. A worker that ends is replaced. What asks this
 * process to stop it passes on to all of them, which may have heard it already, and it ends after the last one.
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
  const fork = () => {
    if (!isStopping) cluster.fork()
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
  cluster.on('exit', ({ process: { pid } }, code: number | null, signal) => {
    if (hasListened && !isStopping) {
      log.error({ pid, code, signal }, 'a worker ended; another takes its place')
      setTimeout(fork, restartAfterMs)
      return
    }
    exitCode = Math.max(exitCode, code ?? (isStopping && signal !== 'SIGKILL' ? 0 : 1))
    if (workers().length > 0) return
    if (!isStopping) process.exit(exitCode)
    allEnded()
  })
  stopOnce(log, {
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
  cluster.fork()
}
