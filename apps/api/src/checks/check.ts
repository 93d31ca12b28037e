import { type ErrorCode, type ErrorDefinition, errors } from '@rolecall/contract'

/**
 * One thing that must hold for somebody to be let in. The code that decides and the explanation of what it would decide run
 * the same value, so that neither can know a rule that the other does not.
 */
export interface Check<Facts, Refusal extends string = ErrorCode> {
  /** Where it is asked, and what: `authorize.project_active`. */
  readonly name: string
  /** What is thrown or sent when it does not hold. */
  readonly refusal: Refusal
  /** What the refusal carries on the wire. */
  readonly code: string
  /** What to do about it. */
  readonly mend: string
  /** Undefined where nobody can say, because something before it does not hold; whoever decides takes it for no. */
  readonly holds: (facts: Facts) => boolean | undefined
  /** What was found, for an administrator. */
  readonly tell: (facts: Facts) => string
}

/** A check whose refusal is a row of the error table. */
export const errorCheck = <Facts>(
  check: Omit<Check<Facts>, 'code' | 'mend'> & { readonly refusal: ErrorCode },
): Check<Facts> => {
  const { mend, code = check.refusal }: ErrorDefinition = errors[check.refusal]
  return { ...check, code, mend }
}

/** The first check that does not hold, in the order in which they are asked. */
export const firstFailed = <Facts, Refusal extends string>(
  checks: readonly Check<Facts, Refusal>[],
  facts: Facts,
): Check<Facts, Refusal> | undefined => checks.find(({ holds }) => holds(facts) !== true)

/** A check and what came of it, for an administrator. */
export interface Step {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
  readonly mend: string | null
  readonly code: string
}

/** Every check of which something can be said, whatever the others say. */
export const stepsOf = <Facts, Refusal extends string>(
  checks: readonly Check<Facts, Refusal>[],
  facts: Facts,
): Step[] =>
  checks.flatMap(({ name, code, mend, holds, tell }) => {
    const ok = holds(facts)
    return ok === undefined ? [] : [{ check: name, ok, detail: tell(facts), mend: ok ? null : mend, code }]
  })
