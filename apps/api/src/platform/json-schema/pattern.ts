import { RE2JS } from 're2js'
import { limits } from './limits.ts'
import type { Run } from './run.ts'

/** A regular expression that takes time linear in the text, and pays for it beforehand. */
export type Pattern = (text: string, run: Run) => boolean

/** Work of one instruction on one character, measured on automata that are new at every character. */
const stepCost = 2

/** Compiles a pattern (RE2 syntax: neither look-around nor back-references), or says what is wrong with it. */
export function compilePattern(source: string): Pattern | string {
  if (source.length > limits.patternLength) return `must be at most ${limits.patternLength} characters long`
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source))
    const instructions = compiled.programSize()
    const { dfa } = compiled.re2()
    dfa.stateBudget = limits.patternMemory
    dfa.memBudget = limits.patternMemory
    return (text, run) => {
      run.spend(20 + (text.length + 1) * instructions * stepCost)
      return compiled.test(text)
    }
  } catch (error) {
    return `is not a regular expression that runs in linear time: ${reasonOf(error)}`
  }
}

const reasonOf = (error: unknown) =>
  error instanceof Error ? error.message.replace(/^error parsing regexp: /, '').slice(0, 200) : 'unknown'

/** What compiling takes however small a pattern is, and what each of its atoms adds: Unicode classes are long. */
const baseSize = 100
const atomSize = 2
const unicodeAtomSize = 12

/** An upper bound of what a pattern grows to when its counted repeats are written out: known before it is compiled. */
export function patternSize(source: string): number {
  const groups: number[] = []
  let size = baseSize
  let last = 0
  for (let i = 0; i < source.length; i++) {
    const char = source[i]
    if (char === '(') {
      groups.push(size)
      size = 0
    } else if (char === ')') {
      last = size + 2
      size = last + (groups.pop() ?? 0)
    } else if (char === '{') {
      const [whole, from = '', comma, to = ''] = /^\{(\d+)(,)?(\d*)\}/.exec(source.slice(i, i + 12)) ?? []
      if (whole === undefined) continue
      const times = Math.max(Number(from) + (comma ? 1 : 0), Number(to))
      size += last * (times - 1)
      last *= times
      i += whole.length - 1
    } else if (char === '*' || char === '+' || char === '?') {
      size += 1
    } else {
      const start = i
      if (char === '\\') i += escapeLength(source, i) - 1
      else if (char === '[') i = endOfClass(source, i)
      last = /\\[pP]/.test(source.slice(start, i + 1)) ? unicodeAtomSize : atomSize
      size += last
    }
    if (size > 1e9) return size
  }
  return size
}

/** Of `\d`, or of a Unicode class by name: `\p{Greek}`. */
const escapeLength = (source: string, start: number) =>
  /^\\[pP]\{[^}]*\}/.exec(source.slice(start, start + 40))?.[0].length ?? 2

function endOfClass(source: string, start: number): number {
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === '\\') i += 1
    else if (source[i] === ']' && i > start + 1) return i
  }
  return source.length
}
