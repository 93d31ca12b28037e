import { DatabaseUnavailable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { FailureSample } from './failure-sample.ts'
import { addUsage, insertAuthFailures, type NewFailure, noProject, touchKeys } from './store.ts'
import { UsageCounts } from './usage-counts.ts'

/** The interval of writes. A process that is killed loses the data of one interval and the write in progress. */
const flushEveryMs = 500
/** The maximum number of rows of usage that are buffered during an outage of the database. */
const maxRows = 20_000
/** The number of rows per statement. Each statement is fast, so the embedded engine serves requests in between. */
const rowsPerStatement = 500

/** Counts requests and buffers rejected credentials, both in limited memory, and writes them twice a second. */
export interface Recorder {
  /** Counts a request. `bucket` is the histogram bucket of its duration, or -1 if the duration was not measured. */
  countUsage(route: string, projectId: string | undefined, status: number, bucket: number): void
  /** Records that a valid key was sent with a request, also if the request was rejected for another reason. */
  keyUsed(keyDigest: string): void
  /** Adds a failure. Calls `make` only if the failure is stored: during a flood, only a sample is. */
  addFailure(make: () => NewFailure): void
  /**
   * Adds a refused sign-in of a known account. It has a sample of its own, so a flood of other failures cannot evict
   * it.
   */
  addRefusedLogin(make: () => NewFailure): void
  /** Writes all buffered data, including data that is added while a write is in progress. */
  flush(): Promise<void>
  /** Stops the writes at intervals, and writes all buffered data. */
  close(): Promise<void>
  /** Returns the number of unwritten rows, and of dropped requests and failures. */
  state(): RecorderState
}

/** The numbers that monitoring shows about the recorder. The dropped ones count since the start of the process. */
export interface RecorderState {
  readonly unwritten: number
  readonly droppedUsage: number
  readonly droppedFailures: number
}

/** Creates the recorder of this process. */
export function createRecorder({ db, log }: Pick<Deps, 'db' | 'log'>): Recorder {
  const usage = new UsageCounts(maxRows)
  const failures = new FailureSample()
  const refusedLogins = new FailureSample()
  /** The uses of each key since the last write. The map has at most as many entries as there are valid keys. */
  let used = new Map<string, number>()
  const keyUsed = (keyDigest: string, times = 1) =>
    void used.set(keyDigest, (used.get(keyDigest) ?? 0) + times)
  let loggedDropped = 0
  let isFailing = false
  let flushing: Promise<void> | undefined

  const writeUsage = async () => {
    usage.close(performance.now())
    const unwritten = usage.drain()
    try {
      while (unwritten.length > 0) {
        const part = unwritten.slice(0, rowsPerStatement)
        await addUsage(db, part)
        // These are written, so they must not be restored if a later statement fails.
        unwritten.splice(0, part.length)
      }
    } finally {
      for (const count of unwritten) usage.restore(count)
    }
  }
  const writeKeys = async () => {
    if (used.size === 0) return
    const unwritten = used
    used = new Map()
    try {
      await touchKeys(db, unwritten)
    } catch (error) {
      for (const [keyDigest, times] of unwritten) keyUsed(keyDigest, times)
      throw error
    }
  }
  const writeFailures = async (sample: FailureSample) => {
    const unwritten = sample.drain()
    try {
      while (unwritten.length > 0) {
        const part = unwritten.slice(0, rowsPerStatement)
        await insertAuthFailures(db, part)
        unwritten.splice(0, part.length)
      }
    } finally {
      sample.restore(unwritten)
    }
  }
  const countDropped = () => failures.state().dropped + refusedLogins.state().dropped
  const write = async () => {
    try {
      await writeUsage()
      await writeKeys()
      await writeFailures(failures)
      await writeFailures(refusedLogins)
      isFailing = false
    } catch (error) {
      if (!isFailing && !(error instanceof DatabaseUnavailable)) {
        log.error({ err: error }, 'usage write failed')
      }
      isFailing = true
    }
    const dropped = countDropped()
    // Logs the start of a flood, and then each tenfold increase.
    if (dropped > loggedDropped * 10 || (dropped > 0 && loggedDropped === 0)) {
      log.warn({ dropped }, 'rejected credentials exceed the limit: storing a sample')
      loggedDropped = dropped
    }
  }
  const flush = async () => {
    // A write in progress may have begun before the caller's data was added, so another one follows it.
    await flushing
    flushing ??= write().finally(() => {
      flushing = undefined
    })
    return flushing
  }
  const timer = setInterval(() => {
    if (!flushing) void flush()
  }, flushEveryMs)
  timer.unref()

  return {
    countUsage: (route, projectId = noProject, status, bucket) => usage.add(route, projectId, status, bucket),
    keyUsed: (keyDigest) => keyUsed(keyDigest),
    addFailure: (make) => failures.add(make),
    addRefusedLogin: (make) => refusedLogins.add(make),
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
    state: () => {
      const counted = usage.state()
      return {
        unwritten: counted.rows + failures.state().kept + refusedLogins.state().kept,
        droppedUsage: counted.dropped,
        droppedFailures: countDropped(),
      }
    },
  }
}
