import { every, type Keyword, type Node, quietly, readKeys, readPositions } from './keyword.ts'
import type { Run } from './run.ts'
import { Seen } from './seen.ts'

/** Checks a value against a subschema. The parts that the subschema evaluates count only if the value passes. */
function checkInPlace(node: Node, value: unknown, run: Run, seen: Seen | undefined): boolean {
  const inner = seen && new Seen()
  const passed = node.check(value, run, inner)
  if (passed && inner) seen?.add(inner, run)
  return passed
}

/** Checks a value against the schema that `$ref` names. */
const reference: Keyword = ({ value, refer, complain }) => {
  if (typeof value !== 'string') {
    complain('must be a string')
    return undefined
  }
  const node = refer(value)
  return (given, run, seen) => checkInPlace(node, given, run, seen)
}

/** Checks a value against all schemas of `allOf`. */
const allOf: Keyword = (reading) => {
  const nodes = readPositions(reading).map((position) => reading.sub('inPlace', position))
  return (value, run, seen) => every(nodes, run, (node) => checkInPlace(node, value, run, seen))
}

/**
 * Checks that a value passes at least one branch. Reports one error if none passes, and not the errors of each branch.
 */
const anyOf: Keyword = (reading) => {
  const nodes = readPositions(reading).map((position) => reading.sub('inPlace', position))
  return (value, run, seen) => {
    let passed = false
    for (const node of nodes) {
      if (!quietly(run, () => checkInPlace(node, value, run, seen))) continue
      passed = true
      // Stops at the first branch that passes, unless evaluated parts count. Then every branch must be checked.
      if (!seen) break
    }
    return passed || run.fail('ANY_OF', 'must match at least one schema of anyOf')
  }
}

/** Checks that a value passes exactly one branch. Stops at the second branch that passes. */
const oneOf: Keyword = (reading) => {
  const nodes = readPositions(reading).map((position) => reading.sub('inPlace', position))
  return (value, run, seen) => {
    let passed = 0
    for (const node of nodes) {
      if (quietly(run, () => checkInPlace(node, value, run, seen))) passed += 1
      if (passed > 1) return run.fail('ONE_OF', 'must match only one schema of oneOf')
    }
    return passed === 1 || run.fail('ONE_OF', 'must match one schema of oneOf')
  }
}

/** Checks that a value does not pass the schema of `not`. Nothing that this schema reads counts as evaluated. */
const not: Keyword = (reading) => {
  const node = reading.sub('inPlace')
  return (value, run) =>
    !quietly(run, () => node.check(value, run, undefined)) ||
    run.fail('NOT', 'must not match the schema of not')
}

/** Checks `if`, with `then` and `else` of the same schema. */
const condition: Keyword = (reading) => {
  const node = reading.sub('inPlace')
  const yes = reading.schema['then'] === undefined ? undefined : reading.sibling('then')
  const no = reading.schema['else'] === undefined ? undefined : reading.sibling('else')
  return (value, run, seen) => {
    const next = quietly(run, () => checkInPlace(node, value, run, seen)) ? yes : no
    return !next || checkInPlace(next, value, run, seen)
  }
}

/** Reads `then` and `else`, so that references can name them. It checks no value, because `if` applies them. */
const branch: Keyword = ({ sub }) => {
  sub('inPlace')
  return undefined
}

/** Reads `$defs`. Its schemas are only the targets of references. */
const definitions: Keyword = (reading) => {
  for (const key of readKeys(reading)) reading.sub('apart', key)
  return undefined
}

/** The keywords that check the same value against other schemas. */
export const logicKeywords: Readonly<Record<string, Keyword>> = {
  $defs: definitions,
  definitions,
  $ref: reference,
  allOf,
  anyOf,
  oneOf,
  not,
  if: condition,
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
  then: branch,
  else: branch,
}
