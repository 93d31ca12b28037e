import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { WalkState } from './chain-walk.ts'

/** The progress of the background check. */
interface Verification {
  /** Null before the first step. */
  readonly walk: WalkState | null
  /** True if the check began too long ago, so that it must start again. */
  readonly isOld: boolean
  /** True if the check has found a problem, and stopped. */
  readonly isBroken: boolean
}

/**
 * Locks the progress until the transaction ends, and returns it. Returns undefined without waiting if another instance
 * has locked it for a step.
 */
export const lockVerification = (tx: Tx, maxAgeHours: number) =>
  tx.maybeOne<Verification>(sql`
    select walk, coalesce(started_at < clock_now() - ${maxAgeHours}::int * interval '1 hour', true) as "isOld",
      coalesce(problem_at >= started_at, false) as "isBroken"
    from audit_verification for update skip locked`)

/** Starts the check again from the first entry. The last result remains until there is a new one. */
export const restartVerification = (tx: Tx) =>
  tx.execute(sql`update audit_verification set walk = null, started_at = clock_now()`)

/**
 * Stores the progress of the check. With `isWhole`, also records that it has reached the end of the chain without a
 * problem.
 */
export const storeProgress = (tx: Tx, walk: WalkState, isWhole: boolean) =>
  tx.execute(sql`
    update audit_verification set walk = ${JSON.stringify(walk)}::json,
      verified_at = case when ${isWhole} then clock_now() else verified_at end,
      problem = case when not ${isWhole} then problem end,
      problem_at = case when not ${isWhole} then problem_at end`)

/** Stores the progress and the problem that was found. */
export const storeProblem = (tx: Tx, walk: WalkState, problem: string) =>
  tx.execute(sql`
    update audit_verification set walk = ${JSON.stringify(walk)}::json, problem = ${problem},
      problem_at = clock_now()`)

interface VerificationRow {
  readonly entries: number
  readonly letGo: number
  readonly checked: number
  readonly startedAt: string | null
  readonly verifiedAt: string | null
  readonly problem: string | null
  readonly problemAt: string | null
}

/** Returns the state of the check, and the number of entries in the log. */
export const readVerification = (db: Queryable) =>
  db.maybeOne<VerificationRow>(sql`
    select (h.seq - s.seq)::float8 as entries, s.seq::float8 as "letGo",
      coalesce((v.walk ->> 'entries')::float8, 0) as checked, iso(v.started_at) as "startedAt",
      iso(v.verified_at) as "verifiedAt", v.problem, iso(v.problem_at) as "problemAt"
    from audit_verification v, audit_head h, audit_start s`)
