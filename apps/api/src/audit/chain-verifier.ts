import { setTimeout as sleep } from 'node:timers/promises'
import type { audit } from '@rolecall/contract'
import type { Database } from '#platform/db/database'
import { DatabaseUnavailable } from '#platform/db/database'
import type { Log } from '#platform/log'
import { readChainPage } from './chain-store.ts'
import { type ChainEntry, ChainWalk } from './chain-walk.ts'
import {
  lockVerification,
  readVerification,
  restartVerification,
  storeProblem,
  storeProgress,
} from './verification-store.ts'

/** The number of entries in one step. Hashing them takes about ten milliseconds. Then other work has its turn. */
const entriesPerStep = 500
/**
 * The pause between two steps. A log with a million entries is checked within minutes, and takes a tenth of one core.
 */
const pauseMs = 100
/** The longest time until a new entry is checked. */
const everyMs = 60_000
/** After this time, all entries are checked again, because an entry may have been changed after its check. */
const maxAgeHours = 24

/**
 * Checks the chain of the audit log in the background. It goes step by step and stores its progress, so any instance
 * can take the next step.
 */
export interface ChainVerifier {
  /** Starts the checks, which are repeated every minute. */
  start(): void
  /** Starts again from the first entry, immediately. */
  restart(): Promise<void>
  /** Checks the next entries. Returns true if another step can follow immediately. */
  step(): Promise<boolean>
  /**
   * Returns the progress and the result, for administrators. If entries are unchecked, a started verifier checks them
   * now.
   */
  state(): Promise<audit.AuditChain>
  close(): Promise<void>
}

interface VerifierDeps {
  readonly db: Database
  readonly log: Log
}

/** Creates the background check. Only one instance at a time runs a step: it locks the stored progress. */
export function createChainVerifier({ db, log }: VerifierDeps): ChainVerifier {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  const closing = new AbortController()

  const step = () =>
    db.transaction(async (tx) => {
      const progress = await lockVerification(tx, maxAgeHours)
      if (!progress) return false
      const isNew = progress.isOld || progress.walk === null
      if (progress.isBroken && !isNew) return false
      if (progress.isOld) await restartVerification(tx)
      const walk = new ChainWalk(isNew || progress.walk === null ? undefined : progress.walk)
      const rows = await readChainPage(tx, walk.seq, entriesPerStep)
      const [first] = rows
      if (first && !walk.setEnds(first)) {
        await restartVerification(tx)
        return true
      }
      const entries = rows.filter(isEntry)
      // The page and the ends of the chain come from the same snapshot. So a page that is not full is the last one.
      const isLast = entries.length < entriesPerStep
      const problem = findProblem(walk, entries) ?? (isLast ? walk.checkEnd() : undefined)
      if (problem === undefined) await storeProgress(tx, walk.state, isLast)
      else {
        log.error({ problem }, 'audit log verification failed: an entry was altered or deleted')
        await storeProblem(tx, walk.state, problem)
      }
      return problem === undefined && !isLast
    })

  const run = async () => {
    try {
      while (!closing.signal.aborted && (await step()))
        await sleep(pauseMs, undefined, { signal: closing.signal })
    } catch (error) {
      // `availability.ts` logs the outage once. The check continues in the next minute.
      if (closing.signal.aborted || error instanceof DatabaseUnavailable) return
      log.error({ err: error }, 'audit log verification stopped: internal error')
    }
  }
  const wake = () => {
    running ??= run().finally(() => {
      running = undefined
    })
  }
  return {
    start() {
      timer = setInterval(wake, everyMs)
      timer.unref()
      wake()
    },
    async restart() {
      await db.transaction((tx) => restartVerification(tx))
      wake()
    },
    step,
    state: async () => {
      const row = await readVerification(db)
      if (!row) throw new Error('The audit log verification has no row.')
      if (timer && row.checked < row.entries) wake()
      return { ...row, status: statusOf(row), mend: row.problem === null ? null : mend }
    },
    async close() {
      clearInterval(timer)
      closing.abort()
      await running
    },
  }
}

const mend =
  'The database was changed outside the service, or it was damaged. Keep a copy as evidence, run `rolecall audit verify`, and compare with a backup.'

const isEntry = (row: { readonly seq: number | null }): row is ChainEntry => row.seq !== null

/** Checks the next entries of a walk. Returns the first problem, or undefined. */
function findProblem(walk: ChainWalk, entries: readonly ChainEntry[]): string | undefined {
  for (const entry of entries) {
    const problem = walk.step(entry)
    if (problem) return problem
  }
  return undefined
}

function statusOf({
  problem,
  verifiedAt,
  startedAt,
}: Pick<audit.AuditChain, 'problem' | 'verifiedAt' | 'startedAt'>): audit.AuditChain['status'] {
  if (problem !== null) return 'broken'
  if (verifiedAt !== null) return 'verified'
  return startedAt === null ? 'unchecked' : 'checking'
}
