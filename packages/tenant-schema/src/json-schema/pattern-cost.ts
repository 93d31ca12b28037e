import { RE2Set } from 're2js'
import { limits } from './limits.ts'

/** Costs of compiling, in units of about a tenth of a microsecond. */
const unitsOf = { pattern: 300, instruction: 20, range: 0.5 } as const
/** Costs of parsing a Unicode class and a folded range, in the same units. */
const unicodeClassUnits = 3_000
const foldedRangeUnits = 50_000
/** Cost of one optional repetition. For `{2,9}`, the engine nests seven of them. */
const optionalUnits = 25

/** The engine rejects a larger product of repeats, nested or not. */
const maxCopies = 1_000

/**
 * Returns an upper bound for the cost of parsing a pattern, in the same units, from its text alone. It does not
 * interpret characters, so it cannot miss anything: every repeat contains `{n}`, every Unicode class `\p`, and every
 * range `-`. Quoted characters and other non-operators count too. A repeat copies one atom. After a closing bracket or
 * the end of a quotation, which may be empty, the bound assumes that the repeat copies everything before it.
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
  // Case folding walks through a range one character at a time. Ranges that end in ASCII are short.
  const isFolded = /\(\?[-msU]*i/.test(source)
  const longRanges = isFolded ? (source.match(/-(?![ -[\]-~])/g)?.length ?? 0) : 0
  return written + optional * optionalUnits + classes * unicodeClassUnits + longRanges * foldedRangeUnits
}

const repeat = /([)E]?)\{(\d+)(,?)(\d*)\}/g

/** Upper bounds for the program of a pattern: its instructions, and the ranges of characters that they compare. */
export interface ProgramSize {
  readonly instructions: number
  readonly ranges: number
}

export const compileUnits = ({ instructions, ranges }: ProgramSize): number =>
  Math.ceil(unitsOf.pattern + instructions * unitsOf.instruction + ranges * unitsOf.range)

/** A node of the engine's tree. A repeat is written out, as references to the same nodes. */
interface EngineNode {
  readonly op: number
  readonly runes: ArrayLike<number> | null
  readonly subs: readonly EngineNode[]
}

/** Returns the tree that the engine compiles. `RE2Set` exposes it before it is compiled. */
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
 * Measures the program that the engine would compile from a pattern, without compiling it. Stops counting above the
 * limit of a pattern.
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
  // The engine adds one instruction to fail, and one to match.
  return { instructions: instructions + 2, ranges }
}

/** Returns the maximum number of instructions of a node without its children, for every node except literals. */
function ownInstructions({ op, subs }: EngineNode): number {
  if (subs.length === 0 || op === question) return 1
  if (op === sequence) return 0
  if (op === alternation) return subs.length - 1
  // A group has a start and an end; a repeat of a part that may be empty has two branches.
  return 2
}
