import type { explain } from '@rolecall/contract'
import type { Step } from '../../checks/check.ts'

/** Returns the outcome of a sign-in. The first failed step decides. Without one, the sign-in is allowed. */
export function concluded(steps: readonly Step[]): Pick<explain.Explanation, 'outcome' | 'code' | 'steps'> {
  const failed = steps.find(({ ok }) => !ok)
  return {
    outcome: failed ? 'refused' : 'allowed',
    code: failed?.code ?? null,
    steps: steps.map(({ check, ok, detail, mend }) => ({ check, ok, detail, mend })),
  }
}
