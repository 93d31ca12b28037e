import type { Node } from './keyword.ts'
import { limits } from './limits.ts'
import type { SchemaProblem } from './problem.ts'

/**
 * Checks the references of a schema. No schema may apply itself to the same value again. All references together must
 * not apply more schemas to a value than `limits.visits`. A schema may apply itself to a part of the value, because
 * values are finite.
 */
export function problemsOfReferences(nodes: Iterable<Node>): SchemaProblem[] {
  const visits = new Map<Node, number>()
  for (const node of nodes) {
    const count = visitsOf(node, visits)
    if (count === Number.POSITIVE_INFINITY) {
      return [problem(node, 'refers back to itself on the same value, so validation never ends')]
    }
    if (count > limits.visits) {
      return [problem(node, `refers so often that one value meets more than ${limits.visits} schemas`)]
    }
  }
  return []
}

/**
 * Returns how many schemas a node applies to one value, including itself. Infinite for a cycle, which the count reaches
 * again before it has ended.
 */
function visitsOf(node: Node, known: Map<Node, number>): number {
  const count = known.get(node)
  if (count !== undefined) return count
  known.set(node, Number.POSITIVE_INFINITY)
  const total = node.inPlace.reduce((sum, inner) => sum + visitsOf(inner, known), 1)
  known.set(node, total)
  return total
}

const problem = ({ pointer }: Node, message: string): SchemaProblem => ({
  path: pointer,
  message,
  code: 'SCHEMA',
})
