import { Worker } from 'node:worker_threads'

/** Thrown when a job took more time or memory than a job may have; its thread is gone. */
export class JobTooLarge extends Error {
  override readonly name = 'JobTooLarge'
}

/** Thrown when so many jobs wait, in all or of this owner, that another one has to come back later. */
export class PoolBusy extends Error {
  override readonly name = 'PoolBusy'
}

export interface PoolOptions {
  /** A module that posts `ready` once, and then one answer for each message. */
  readonly module: URL
  readonly threads: number
  /** Jobs that may wait for a thread, in all and of one owner. */
  readonly mostWaiting: number
  readonly mostWaitingOfOwner: number
  /** Longest time of one job, from when its thread has started. */
  readonly jobMs: number
  /** Memory of one thread, in MiB. */
  readonly memoryMb: number
}

interface Pending<Job, Result> {
  readonly owner: string
  readonly job: Job
  readonly resolve: (result: Result) => void
  readonly reject: (error: Error) => void
}

/** A thread, and the job that it has; without one it is idle. */
interface Thread<Job, Result> {
  readonly worker: Worker
  isReady: boolean
  pending: Pending<Job, Result> | undefined
  timer: NodeJS.Timeout | undefined
}

/**
 * Runs jobs off the event loop, each with a limit of time and memory. Threads start with the first job that
 * needs them. An idle one keeps no process alive, so there is nothing to close.
 */
export function createWorkerPool<Job, Result>(options: PoolOptions) {
  type Own = Thread<Job, Result>
  const threads = new Set<Own>()
  const waiting: Pending<Job, Result>[] = []

  const start = () => {
    const worker = new Worker(options.module, {
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMb, maxYoungGenerationSizeMb: 8 },
    })
    const thread: Own = { worker, isReady: false, pending: undefined, timer: undefined }
    threads.add(thread)
    worker.on('message', (message: Result | 'ready') => {
      if (message === 'ready') thread.isReady = true
      else finish(thread)?.resolve(message)
      assign(thread)
    })
    // Out of memory, or a defect of ours: either way the job did not end, and another thread takes the next one.
    worker.on('error', () => lose(thread))
    worker.on('exit', () => lose(thread))
  }

  const assign = (thread: Own) => {
    const pending = waiting.shift()
    if (!pending) {
      thread.worker.unref()
      return
    }
    thread.worker.ref()
    thread.pending = pending
    thread.timer = setTimeout(() => lose(thread), options.jobMs)
    thread.worker.postMessage(pending.job)
  }

  const finish = (thread: Own) => {
    const { pending } = thread
    clearTimeout(thread.timer)
    thread.pending = undefined
    return pending
  }

  const lose = (thread: Own) => {
    if (!threads.delete(thread)) return
    // A thread that cannot even start takes a job with it: nothing waits for ever.
    const pending = finish(thread) ?? (thread.isReady ? undefined : waiting.shift())
    pending?.reject(new JobTooLarge())
    void thread.worker.terminate()
    if (waiting.length > 0) start()
  }

  return {
    /** @throws JobTooLarge, PoolBusy */
    run(owner: string, job: Job): Promise<Result> {
      const ofOwner = waiting.filter((one) => one.owner === owner).length
      if (waiting.length >= options.mostWaiting || ofOwner >= options.mostWaitingOfOwner) {
        return Promise.reject(new PoolBusy())
      }
      return new Promise((resolve, reject) => {
        waiting.push({ owner, job, resolve, reject })
        const idle = [...threads].find((thread) => thread.isReady && !thread.pending)
        if (idle) assign(idle)
        else if (threads.size < options.threads) start()
      })
    },
  }
}
