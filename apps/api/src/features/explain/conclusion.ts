import type { explain } from '@rolecall/contract'
import type { Step } from '../../checks/check.ts'

/** Returns the result of a sign-in: its first failed step, or success. */
export function concluded(steps: readonly Step[]): Pick<explain.Explanation, 'outcome' | 'code' | 'steps'> {
  const failed = steps.find(({ ok }) => !ok)
  return {
    outcome: failed ? 'refused' : 'allowed',
    code: failed?.code ?? null,
    steps: steps.map(({ check, ok, detail, mend }) => ({ check, ok, detail, mend })),
  }
}
