import { type ErrorCode, type ErrorDefinition, errors } from '@rolecall/contract'

/**
 * A condition for access. The code that decides and the code that explains the decision to an administrator evaluate
 * the same checks, so they cannot disagree.
 */
export interface Check<Facts, Refusal extends string = ErrorCode> {
  /** The operation and its condition, such as `authorize.project_active`. */
  readonly name: string
  /** The error that the caller throws or sends if the condition fails. */
  readonly refusal: Refusal
  /** The error code that the client receives. */
  readonly code: string
  /** Tells how to fix a failure, in one sentence. */
  readonly fix: string
  /**
   * Returns true if the condition is met, and undefined if an earlier failure makes it undecidable. Decisions treat
   * undefined as a failure; `stepsOf` leaves the check out.
   */
  readonly holds: (facts: Facts) => boolean | undefined
  /** Describes to an administrator what the check found. */
  readonly describe: (facts: Facts) => string
}

/** Creates a check that takes its code and its fix from the table of errors. */
export const errorCheck = <Facts>(
  check: Omit<Check<Facts>, 'code' | 'fix'> & { readonly refusal: ErrorCode },
): Check<Facts> => {
  const { fix, code = check.refusal }: ErrorDefinition = errors[check.refusal]
  return { ...check, code, fix }
}

/** Returns the first check that fails, or undefined if every condition is met. */
export const firstFailed = <Facts, Refusal extends string>(
  checks: readonly Check<Facts, Refusal>[],
  facts: Facts,
): Check<Facts, Refusal> | undefined => checks.find(({ holds }) => holds(facts) !== true)

/** The result of one check, as an administrator reads it. */
export interface Step {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
  /** The fix, under the name that the API uses. Null if the condition is met. */
  readonly mend: string | null
  readonly code: string
}

/**
 * Returns the result of every check that can be decided. Unlike `firstFailed`, it does not stop at the first failure.
 */
export const stepsOf = <Facts, Refusal extends string>(
  checks: readonly Check<Facts, Refusal>[],
  facts: Facts,
): Step[] =>
  checks.flatMap(({ name, code, fix, holds, describe }) => {
    const ok = holds(facts)
    return ok === undefined ? [] : [{ check: name, ok, detail: describe(facts), mend: ok ? null : fix, code }]
  })
