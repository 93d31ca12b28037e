import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { WalkState } from './chain-walk.ts'

interface Verification {
  /** Null before the first step. */
  readonly walk: WalkState | null
  /** The check started too long ago, so it starts again. */
  readonly isOld: boolean
  /** True if the check found a problem, and stopped. */
  readonly isBroken: boolean
}

/** Returns the check, locked until the transaction ends, or undefined while another instance runs it. */
export const lockVerification = (tx: Tx, maxAgeHours: number) =>
  tx.maybeOne<Verification>(sql`
    select walk, coalesce(started_at < clock_now() - ${maxAgeHours}::int * interval '1 hour', true) as "isOld",
      coalesce(problem_at >= started_at, false) as "isBroken"
    from audit_verification for update skip locked`)

/** Restarts the check from the first entry. Its last result stays until a new one is found. */
export const restartVerification = (tx: Tx) =>
  tx.execute(sql`update audit_verification set walk = null, started_at = clock_now()`)

/** Records the progress of the check and, if `isWhole`, that it reached the end with every entry unchanged. */
export const keepVerification = (tx: Tx, walk: WalkState, isWhole: boolean) =>
  tx.execute(sql`
    update audit_verification set walk = ${JSON.stringify(walk)}::json,
      verified_at = case when ${isWhole} then clock_now() else verified_at end,
      problem = case when not ${isWhole} then problem end,
      problem_at = case when not ${isWhole} then problem_at end`)

export const keepProblem = (tx: Tx, walk: WalkState, problem: string) =>
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

/** Returns the state of the check, and the length of the log. */
export const readVerification = (db: Queryable) =>
  db.maybeOne<VerificationRow>(sql`
    select (h.seq - s.seq)::float8 as entries, s.seq::float8 as "letGo",
      coalesce((v.walk ->> 'entries')::float8, 0) as checked, iso(v.started_at) as "startedAt",
      iso(v.verified_at) as "verifiedAt", v.problem, iso(v.problem_at) as "problemAt"
    from audit_verification v, audit_head h, audit_start s`)
