import { RE2JS } from 're2js'
import { limits } from './limits.ts'
import type { ProgramSize } from './pattern-cost.ts'
import type { Run } from './run.ts'

/** A regular expression that takes time linear in the text, and charges for it beforehand. */
export type Pattern = (text: string, run: Run) => boolean

/** Work of one instruction on one character, measured with automata that are new at every character. */
const stepCost = 2

/** Translates a pattern of ECMA-262 into the syntax of the engine. */
export const toEngineSyntax = (source: string): string => RE2JS.translateRegExp(source)

/**
 * Compiles a measured pattern in the engine's syntax (RE2: neither look-around nor back-references).
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
