import { type ErrorCode, type ErrorDefinition, errors } from '@rolecall/contract'

/**
 * A condition for access. The decision and its explanation evaluate the same value, so neither can apply a rule
 * that the other lacks.
 */
export interface Check<Facts, Refusal extends string = ErrorCode> {
  /** The operation and its condition: `authorize.project_active`. */
  readonly name: string
  /** The error that is thrown or sent if the condition fails. */
  readonly refusal: Refusal
  /** The error code in the response. */
  readonly code: string
  /** The fix, as a sentence. */
  readonly mend: string
  /** Undefined if it cannot be decided because an earlier condition fails. Callers treat `undefined` as false. */
  readonly holds: (facts: Facts) => boolean | undefined
  /** Describes the finding to an administrator. */
  readonly describe: (facts: Facts) => string
}

/** Creates a check that refuses with a row of the error table. */
export const errorCheck = <Facts>(
  check: Omit<Check<Facts>, 'code' | 'mend'> & { readonly refusal: ErrorCode },
): Check<Facts> => {
  const { mend, code = check.refusal }: ErrorDefinition = errors[check.refusal]
  return { ...check, code, mend }
}

/** Returns the first check that fails, in the order of evaluation. */
export const firstFailed = <Facts, Refusal extends string>(
  checks: readonly Check<Facts, Refusal>[],
  facts: Facts,
): Check<Facts, Refusal> | undefined => checks.find(({ holds }) => holds(facts) !== true)

/** A check and its result, for an administrator. */
export interface Step {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
  readonly mend: string | null
  readonly code: string
}

/** Returns the result of every check that can be decided, independently of the other results. */
export const stepsOf = <Facts, Refusal extends string>(
  checks: readonly Check<Facts, Refusal>[],
  facts: Facts,
): Step[] =>
  checks.flatMap(({ name, code, mend, holds, describe }) => {
    const ok = holds(facts)
    return ok === undefined
      ? []
      : [{ check: name, ok, detail: describe(facts), mend: ok ? null : mend, code }]
  })
