import { RE2Set } from 're2js'
import { limits } from './limits.ts'

/** The costs of compiling a pattern, an instruction, and a range of characters, in units of about 0.1 µs. */
const unitsOf = { pattern: 300, instruction: 20, range: 0.5 } as const
/** The costs of parsing a Unicode class and a range under case folding, in the same units. */
const unicodeClassUnits = 3_000
const foldedRangeUnits = 50_000
/** The cost of one optional repetition. For `{2,9}`, the engine nests seven of them. */
const optionalUnits = 25

/** The maximum product of nested repeat counts. The engine rejects a larger one. */
const maxCopies = 1_000

/**
 * Returns an upper bound for the cost of parsing a pattern, in the same units.
 *
 * It only looks for characters in the text, and does not interpret them, so it cannot miss anything: every repeat
 * contains `{n}`, every Unicode class `\p`, and every range `-`. It also counts such characters where they are quoted.
 * A repeat copies the atom before it. If that atom ends with a closing bracket or the end of a quotation, its start is
 * not known. The bound then assumes that the repeat copies everything before it.
 */
export function parseUnits(source: string): number {
  let atoms = source.length
  let copies = 1
  let optional = 0
  for (const [, before = '', from = '', comma = '', to = ''] of source.matchAll(repeat)) {
    const times = Math.max(1, Number(from) + (comma ? 1 : 0), Number(to))
    optional += Math.max(0, Math.min(Number(to), maxCopies) - Number(from))
    if (before === '') atoms += times
    else copies *= times
  }
  const written = Math.min(atoms * copies, source.length * maxCopies)
  const classes = source.match(/\\p/gi)?.length ?? 0
  // Under case folding, the engine visits each character of a range. Ranges that end within ASCII are short.
  const isFolded = /\(\?[-msU]*i/.test(source)
  const longRanges = isFolded ? (source.match(/-(?![ -[\]-~])/g)?.length ?? 0) : 0
  return written + optional * optionalUnits + classes * unicodeClassUnits + longRanges * foldedRangeUnits
}

const repeat = /([)E]?)\{(\d+)(,?)(\d*)\}/g

/** Upper bounds for the program of a pattern: its instructions, and the ranges of characters that these compare. */
export interface ProgramSize {
  readonly instructions: number
  readonly ranges: number
}

/** Returns the cost of compiling a program, in the same units. */
export const compileUnits = ({ instructions, ranges }: ProgramSize): number =>
  Math.ceil(unitsOf.pattern + instructions * unitsOf.instruction + ranges * unitsOf.range)

/** A node of the engine's syntax tree. A repeat is expanded, and its copies refer to the same nodes. */
interface EngineNode {
  readonly op: number
  readonly runes: ArrayLike<number> | null
  readonly subs: readonly EngineNode[]
}

/** Returns the syntax tree that the engine would compile. Reads it from `RE2Set`, which has it before it compiles. */
function treeOf(source: string): EngineNode {
  const set = new RE2Set()
  set.add(source)
  const [root]: EngineNode[] = set.regexps
  if (!root) throw new Error('The engine returned no tree for the pattern.')
  return root
}

const literal = treeOf('ab').op
const characterClass = treeOf('[ac]').op
const sequence = treeOf('a+b+').op
const alternation = treeOf('a+|b+').op
const question = treeOf('a?').op

/**
 * Measures the program that the engine would compile from a pattern, without compiling it. Stops counting at the limit
 * for one pattern.
 *
 * @throws the engine's error for an invalid pattern
 */
export function measureProgram(source: string): ProgramSize {
  const known = new Map<EngineNode, ProgramSize>()
  const measure = (node: EngineNode): ProgramSize => {
    const seen = known.get(node)
    if (seen) return seen
    const runes = node.runes?.length ?? 0
    let instructions = node.op === literal ? Math.max(1, runes) : ownInstructions(node)
    let ranges = node.op === characterClass ? runes / 2 : 0
    for (const sub of node.subs) {
      const inner = measure(sub)
      instructions += inner.instructions
      ranges += inner.ranges
      if (instructions > limits.patternInstructions || ranges > limits.patternRanges) break
    }
    const size = { instructions, ranges }
    known.set(node, size)
    return size
  }
  const { instructions, ranges } = measure(treeOf(source))
  // The engine adds one instruction that fails, and one that matches.
  return { instructions: instructions + 2, ranges }
}

/** Returns the maximum number of instructions of a node itself, without its children. Not for literals. */
function ownInstructions({ op, subs }: EngineNode): number {
  if (subs.length === 0 || op === question) return 1
  if (op === sequence) return 0
  if (op === alternation) return subs.length - 1
  // A group has a start and an end. A repeat has two branches if the repeated part may be empty.
  return 2
}
