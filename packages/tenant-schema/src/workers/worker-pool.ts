import { Worker } from 'node:worker_threads'

/** Thrown if a job exceeds its limit of time or memory. Its thread ends then. */
export class JobTooLarge extends Error {
  override readonly name = 'JobTooLarge'
}

/** Thrown if too many jobs wait, of all owners or of this owner. The caller may retry later. */
export class PoolBusy extends Error {
  override readonly name = 'PoolBusy'
}

/** The options of a pool of worker threads. */
export interface PoolOptions {
  /** The module that runs in each thread. It must post `ready` once, and then one response for each message. */
  readonly module: URL
  readonly threads: number
  /** The maximum number of jobs that wait for a thread, of all owners and of one owner. */
  readonly maxWaiting: number
  readonly maxWaitingOfOwner: number
  /** The maximum time of one job in milliseconds, from the moment at which a thread takes it. */
  readonly jobMs: number
  /** The maximum memory of one thread, in MiB. */
  readonly memoryMb: number
}

interface Pending<Job, Result> {
  readonly owner: string
  readonly job: Job
  readonly resolve: (result: Result) => void
  readonly reject: (error: Error) => void
}

/** A thread, and its job. Without a job, the thread is idle. */
interface Thread<Job, Result> {
  readonly worker: Worker
  isReady: boolean
  pending: Pending<Job, Result> | undefined
  timer: NodeJS.Timeout | undefined
}

/** The waiting jobs of one owner, and the number of its running jobs. */
interface Lane<Job, Result> {
  readonly waiting: Pending<Job, Result>[]
  running: number
}

/**
 * Creates a pool of worker threads that run jobs off the event loop, each with a limit of time and memory. A thread
 * starts when a job first needs it. Idle threads do not keep the process alive, so the pool needs no `close`.
 *
 * Owners take turns. The next job is one of the owner with the fewest running jobs. Among equals, it is the owner whose
 * last turn was longest ago. So no owner gets a second thread while another owner waits for its first.
 */
export function createWorkerPool<Job, Result>(options: PoolOptions) {
  type Own = Thread<Job, Result>
  const threads = new Set<Own>()
  /** The owners with waiting or running jobs, in the order of their turns. */
  const lanes = new Map<string, Lane<Job, Result>>()
  let waiting = 0

  const takeNext = (): Pending<Job, Result> | undefined => {
    let next: [string, Lane<Job, Result>] | undefined
    for (const one of lanes) {
      if (one[1].waiting.length > 0 && one[1].running < (next?.[1].running ?? Number.POSITIVE_INFINITY))
        next = one
    }
    if (!next) return undefined
    const [owner, lane] = next
    waiting -= 1
    lane.running += 1
    // Moves the owner to the end of the order, because it has just had its turn.
    lanes.delete(owner)
    lanes.set(owner, lane)
    return lane.waiting.shift()
  }

  const noteEnd = (owner: string) => {
    const lane = lanes.get(owner)
    if (!lane) return
    lane.running -= 1
    if (lane.running === 0 && lane.waiting.length === 0) lanes.delete(owner)
  }

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
    // The thread ran out of memory or failed, so its job has no result. Another thread takes the next job.
    worker.on('error', () => lose(thread))
    worker.on('exit', () => lose(thread))
  }

  const assign = (thread: Own) => {
    const pending = takeNext()
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
    if (pending) noteEnd(pending.owner)
    return pending
  }

  const lose = (thread: Own) => {
    if (!threads.delete(thread)) return
    finish(thread)?.reject(new JobTooLarge())
    // If a thread cannot even start, one waiting job fails. Otherwise jobs would wait forever.
    if (!thread.isReady) {
      const unlucky = takeNext()
      unlucky?.reject(new JobTooLarge())
      if (unlucky) noteEnd(unlucky.owner)
    }
    void thread.worker.terminate()
    if (waiting > 0) start()
  }

  return {
    /** Runs a job of an owner. Rejects with JobTooLarge, or with PoolBusy if too many jobs wait. */
    run(owner: string, job: Job): Promise<Result> {
      const lane = lanes.get(owner) ?? { waiting: [], running: 0 }
      if (waiting >= options.maxWaiting || lane.waiting.length >= options.maxWaitingOfOwner) {
        return Promise.reject(new PoolBusy())
      }
      return new Promise((resolve, reject) => {
        lanes.set(owner, lane)
        lane.waiting.push({ owner, job, resolve, reject })
        waiting += 1
        const idle = [...threads].find((thread) => thread.isReady && !thread.pending)
        if (idle) assign(idle)
        else if (threads.size < options.threads) start()
      })
    },
  }
}
