import { limits } from './limits.ts'
import { compilePattern, type Pattern, patternSize } from './pattern.ts'

const never: Pattern = () => false

/** The regular expressions of one schema: each compiled once, and together no more than compile in a moment. */
export function createPatterns() {
  const known = new Map<string, Pattern>()
  let total = 0

  const compile = (source: string): Pattern | string => {
    const size = patternSize(source)
    if (size > limits.patternSize) return 'repeats too much'
    total += size
    if (total > limits.allPatternsSize) return 'is one regular expression too many for one schema'
    return compilePattern(source)
  }
  return {
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
