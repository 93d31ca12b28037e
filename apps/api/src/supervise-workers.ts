import cluster from 'node:cluster'
import type { Log } from '#platform/log'
import { answerWorkersMetrics } from '#platform/metrics/cluster-metrics'

const restartAfterMs = 1_000

/**
 * Runs the service in several processes that share one port (`WORKERS`). The first starts alone: it applies
 * migrations, and what it refuses ends the start and is told once. A worker that dies is replaced; SIGTERM and
 * SIGINT let all of them finish, and this process ends after the last one.
 */
export function superviseWorkers(count: number, log: Log): void {
  let hasListened = false
  let isStopping = false
  let exitCode = 0
  const workers = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
  const fork = () => {
    if (!isStopping) cluster.fork()
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
    exitCode = Math.max(exitCode, code ?? (isStopping ? 0 : 1))
    if (workers().length === 0) process.exit(exitCode)
  })
  const stop = (signal: NodeJS.Signals) => {
    if (isStopping) return
    isStopping = true
    log.info({ signal }, 'stopping all workers')
    if (workers().length === 0) process.exit(exitCode)
    for (const worker of workers()) worker.process.kill('SIGTERM')
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  cluster.fork()
}
