import { uuidv7 } from '#platform/crypto/uuid'
import { DatabaseUnavailable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { type AuthFailure, addUsage, insertAuthFailures, touchKeys, type UsageCount } from './store.ts'

const flushEveryMs = 1_000
/** What is kept while the database is away; beyond it the oldest minutes merge and failures are only counted. */
const mostCounts = 20_000
const mostFailures = 2_000

/** Counts requests and keeps rejected credentials, in memory that does not grow, written once a second. */
export interface Recorder {
  countUsage(route: string, projectId: string | undefined, status: number): void
  addFailure(failure: Omit<AuthFailure, 'id' | 'at'>): void
  /** Writes what is kept; for shutting down. */
  flush(): Promise<void>
  close(): Promise<void>
}

export const noProject = '00000000-0000-0000-0000-000000000000'

export function createRecorder({ db, log }: Pick<Deps, 'db' | 'log'>): Recorder {
  let counts = new Map<string, UsageCount>()
  let failures: AuthFailure[] = []
  let dropped = 0
  let minute = currentMinute()
  let flushing: Promise<void> | undefined

  const write = async () => {
    const writing = { counts: [...counts.values()], failures, dropped }
    counts = new Map()
    failures = []
    dropped = 0
    if (writing.dropped > 0)
      log.warn({ dropped: writing.dropped }, 'authentication failures beyond what is kept')
    try {
      if (writing.counts.length > 0) {
        await addUsage(db, writing.counts)
        await touchKeys(db, [...new Set(writing.counts.filter(usedKey).map(({ projectId }) => projectId))])
      }
      writing.counts = []
      if (writing.failures.length > 0) await insertAuthFailures(db, writing.failures)
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) log.error({ err: error }, 'usage could not be written')
      // Kept for the next try, within the same bounds.
      for (const count of writing.counts) merge(counts, count)
      failures = [...writing.failures, ...failures].slice(-mostFailures)
    }
  }
  const flush = async () => {
    await flushing
    flushing = write().finally(() => {
      flushing = undefined
    })
    return flushing
  }
  const timer = setInterval(() => {
    minute = currentMinute()
    if (counts.size > 0 || failures.length > 0) void flush()
  }, flushEveryMs)
  timer.unref()

  return {
    countUsage(route, projectId = noProject, status) {
      const key = `${minute}|${projectId}|${status}|${route}`
      const known = counts.get(key)
      if (known) known.count += 1
      else if (counts.size < mostCounts) counts.set(key, { minute, projectId, route, status, count: 1 })
    },
    addFailure(failure) {
      if (failures.length >= mostFailures) dropped += 1
      else failures.push({ ...failure, id: uuidv7(), at: new Date().toISOString() })
    },
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}

const usedKey = ({ projectId, status }: UsageCount) => projectId !== noProject && status < 400

function merge(counts: Map<string, UsageCount>, count: UsageCount) {
  const key = `${count.minute}|${count.projectId}|${count.status}|${count.route}`
  const known = counts.get(key)
  if (known) known.count += count.count
  else if (counts.size < mostCounts) counts.set(key, count)
}

const currentMinute = () => `${new Date().toISOString().slice(0, 16)}:00Z`
