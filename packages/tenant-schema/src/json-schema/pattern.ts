import { RE2JS } from 're2js'
import { limits } from './limits.ts'
import type { ProgramSize } from './pattern-cost.ts'
import type { Run } from './run.ts'

/**
 * Tests a text with a regular expression, in time that is linear in the length of the text. Spends that work from the
 * run's budget before it starts.
 */
export type Pattern = (text: string, run: Run) => boolean

/** The work of one instruction on one character. Measured in the worst case, with a new state at every character. */
const stepCost = 2

/** Translates a pattern from the syntax of JavaScript (ECMA-262) to that of the engine. */
export const toEngineSyntax = (source: string): string => RE2JS.translateRegExp(source)

/**
 * Compiles a pattern in the engine's syntax (RE2, without look-around and back-references). Measure it first.
 *
 * @throws the engine's error for an invalid pattern
 */
export function compilePattern(source: string, measured?: ProgramSize): Pattern {
  const compiled = RE2JS.compile(source)
  const instructions = compiled.programSize()
  if (measured && instructions > measured.instructions) {
    throw new Error(`A pattern measured as ${measured.instructions} instructions has ${instructions}.`)
  }
  const { dfa } = compiled.re2()
  dfa.stateBudget = limits.patternMemory
  dfa.memBudget = limits.patternMemory
  return (text, run) => {
    run.spend(20 + (text.length + 1) * instructions * stepCost)
    return compiled.test(text)
  }
}
