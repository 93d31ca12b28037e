import { DatabaseUnavailable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { FailureSample } from './failure-sample.ts'
import { addUsage, insertAuthFailures, type NewFailure, noProject, touchKeys } from './store.ts'
import { UsageCounts } from './usage-counts.ts'

/** Twice a second: what a killed process takes with it is half a second and the write that was under way. */
const flushEveryMs = 500
/** Rows that are kept while the database is away. */
const maxRows = 20_000
/** Rows of one statement: each is quick, and the embedded engine answers requests in between. */
const rowsPerStatement = 500

/** Counts requests and keeps rejected credentials, in memory that does not grow, written twice a second. */
export interface Recorder {
  /** `bucket` is that of its duration; -1 for what was not measured. */
  countUsage(route: string, projectId: string | undefined, status: number, bucket: number): void
  /** Notes that a good key came with a request, whatever came of that. */
  keyUsed(keyDigest: string): void
  /** `make` is only called when the failure is kept: of a flood only a sample is. */
  addFailure(make: () => NewFailure): void
  /** Records a refused sign-in of a known account. Unlike other failures, these are not sampled during a flood. */
  addRefusedLogin(make: () => NewFailure): void
  /** Writes what is kept; for shutting down. */
  flush(): Promise<void>
  close(): Promise<void>
  /** What waits to be written, and what was too much to keep. */
  state(): RecorderState
}

export interface RecorderState {
  readonly unwritten: number
  readonly droppedUsage: number
  readonly droppedFailures: number
}

export function createRecorder({ db, log }: Pick<Deps, 'db' | 'log'>): Recorder {
  const usage = new UsageCounts(maxRows)
  const failures = new FailureSample()
  const refusedLogins = new FailureSample()
  /** How often which key was used since the last write. There are only as many as are good. */
  let used = new Map<string, number>()
  const keyUsed = (keyDigest: string, times = 1) =>
    void used.set(keyDigest, (used.get(keyDigest) ?? 0) + times)
  let told = 0
  let isFailing = false
  let flushing: Promise<void> | undefined

  const writeUsage = async () => {
    usage.close(performance.now())
    const unwritten = usage.take()
    try {
      while (unwritten.length > 0) {
        const part = unwritten.slice(0, rowsPerStatement)
        await addUsage(db, part)
        // Written: whatever fails from here on, these are not counted again.
        unwritten.splice(0, part.length)
      }
    } finally {
      for (const count of unwritten) usage.giveBack(count)
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
    const unwritten = sample.take()
    try {
      while (unwritten.length > 0) {
        const part = unwritten.slice(0, rowsPerStatement)
        await insertAuthFailures(db, part)
        unwritten.splice(0, part.length)
      }
    } finally {
      sample.giveBack(unwritten)
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
        log.error({ err: error }, 'usage could not be written')
      }
      isFailing = true
    }
    const dropped = countDropped()
    // A flood is told at its start and while it lasts now and then, not each time.
    if (dropped > told * 10 || (dropped > 0 && told === 0)) {
      log.warn({ dropped }, 'many credentials are rejected: a sample of them is kept')
      told = dropped
    }
  }
  const flush = async () => {
    // Twice when one is under way: it may have begun before what the caller wants to see written.
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
