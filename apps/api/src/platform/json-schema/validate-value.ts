import type { ProblemDetail } from '@rolecall/contract'
import type { Node } from './keyword.ts'
import { limits } from './limits.ts'
import { EnoughErrors, Run, TooCostly } from './run.ts'
import { misshapen } from './shape.ts'

/** Everything that is wrong with a value that JSON.parse returned, in bounded time whatever it is. */
export function validateValue(root: Node, value: unknown): ProblemDetail[] {
  const shape = misshapen(value)
  if (shape === 'DEPTH') return whole('DEPTH', `nests deeper than ${limits.depth} levels`)
  if (shape === 'NUMBER') return whole('NUMBER', 'has a number that is too large')
  const run = new Run()
  try {
    root.check(value, run, undefined)
  } catch (error) {
    if (error instanceof TooCostly) {
      return whole('TOO_COSTLY', 'takes more work to validate than one payload may')
    }
    if (!(error instanceof EnoughErrors)) throw error
  }
  return run.errors
}

const whole = (code: string, message: string): ProblemDetail[] => [{ path: '', message, code }]
