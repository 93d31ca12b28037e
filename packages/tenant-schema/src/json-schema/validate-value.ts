import type { Node } from './keyword.ts'
import { limits } from './limits.ts'
import type { SchemaProblem } from './problem.ts'
import { Run, TooCostly, TooManyErrors } from './run.ts'
import { misshapen } from './shape.ts'

/** Returns the problems of a parsed value, within the work that `limits` allow. */
export function validateValue(root: Node, value: unknown): SchemaProblem[] {
  return validateWithin(limits.work, root, value) ?? tooCostly
}

/** The problem of a value for which the budget of work is too small. */
export const tooCostly = whole('TOO_COSTLY', 'takes too much work to validate')

/** Returns the problems of a parsed value, or undefined if checking it exceeds the budget of work. */
export function validateWithin(work: number, root: Node, value: unknown): SchemaProblem[] | undefined {
  const shape = misshapen(value)
  if (shape === 'DEPTH') return whole('DEPTH', `nests deeper than ${limits.depth} levels`)
  if (shape === 'NUMBER')
    return whole('NUMBER', 'has a number that is too large, or too long, for JSON readers')
  const run = new Run(work)
  try {
    root.check(value, run, undefined)
  } catch (error) {
    if (error instanceof TooCostly) return undefined
    if (!(error instanceof TooManyErrors)) throw error
  }
  return run.errors
}

function whole(code: string, message: string): SchemaProblem[] {
  return [{ path: '', message, code }]
}
