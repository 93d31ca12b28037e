import type { Allowance } from './allowance.ts'
import { limits } from './limits.ts'
import { compilePattern, type Pattern, toEngineSyntax } from './pattern.ts'
import { compileUnits, measureProgram, type ProgramSize, parseUnits } from './pattern-cost.ts'
import { TooCostly } from './run.ts'

/** Replaces an invalid pattern, and matches nothing. */
const never: Pattern = () => false

/**
 * Compiles the regular expressions of one schema, each only once. Before it compiles a pattern, it limits the cost. It
 * estimates the cost of parsing from the text, and the cost of compiling from the parsed tree.
 */
export function createPatterns(allowance: Allowance) {
  const known = new Map<string, Pattern>()
  let parsed = 0
  let units = 0
  let instructions = 0
  let ranges = 0

  /** @throws TooCostly if this exceeds the allowance of this thread. A worker may allow more. */
  const spend = (more: number) => {
    units += more
    if (units > allowance.units) throw new TooCostly()
  }

  /** Measures a pattern. If it exceeds a limit, returns an error message that names the limit. */
  const measure = (source: string, translated: string): ProgramSize | string => {
    if (source.length > limits.patternLength) return `must be at most ${limits.patternLength} characters long`
    const toParse = parseUnits(translated)
    parsed += toParse
    spend(toParse)
    if (parsed > limits.parseUnits) return tooMuch
    const size = measureProgram(translated)
    instructions += size.instructions
    ranges += size.ranges
    if (size.instructions > limits.patternInstructions) {
      return `becomes a program of more than ${limits.patternInstructions} instructions, because it repeats too much`
    }
    if (size.ranges > limits.patternRanges) return 'repeats large classes of characters too often'
    if (instructions > limits.allInstructions || ranges > limits.allRanges) return tooMuch
    spend(compileUnits(size))
    return size
  }

  const compile = (source: string): Pattern | string => {
    try {
      const translated = toEngineSyntax(source)
      const size = allowance.isLimited ? measure(source, translated) : undefined
      return typeof size === 'string' ? size : compilePattern(translated, size)
    } catch (error) {
      if (error instanceof TooCostly) throw error
      return `is not a regular expression with linear run time: ${reasonOf(error)}`
    }
  }

  return {
    /** Returns the compiled pattern. Calls `complain` with the error message if the pattern is not valid. */
    get: (source: string, complain: (message: string) => void): Pattern => {
      const ready = known.get(source)
      if (ready) return ready
      const compiled = compile(source)
      if (typeof compiled === 'string') complain(compiled)
      const pattern = typeof compiled === 'string' ? never : compiled
      known.set(source, pattern)
      return pattern
    },
  }
}

const tooMuch = 'exceeds the total size of the regular expressions of one schema'

const reasonOf = (error: unknown) =>
  error instanceof Error ? error.message.replace(/^error parsing regexp: /, '').slice(0, 200) : 'unknown'
