import { parseSync } from 'vite'

/** A node of the syntax tree. */
interface Node {
  readonly type: string
  readonly start: number
  readonly [field: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** The elements that isolate their text, or contain text outside of sentences. */
const isolating = new Set(['bdi', 'option', 'textarea'])
/** The attributes with a value that is shown as content. */
const shownAttributes = new Set(['lead', 'note'])
/** The fields with a value that is shown as content: `cell` of a table, and `value` of a figure. */
const shownFields = new Set(['cell', 'value'])

const isName = (identifier: unknown) =>
  typeof identifier === 'string' && /^(name|username|[a-z]\w*(Name|Username))$/.test(identifier)

/** Returns true if the value of an expression may be the name of a person, a server, a role, or a project. */
function mayBeName(node: Node): boolean {
  const parts = (...fields: string[]) => fields.some((field) => isNode(node[field]) && mayBeName(node[field]))
  switch (node.type) {
    case 'Identifier':
      return isName(node['name'])
    case 'MemberExpression':
      return parts('property')
    case 'LogicalExpression':
      // Of `name && <span>…</span>`, the left side is only a condition.
      return node['operator'] === '&&' ? parts('right') : parts('left', 'right')
    case 'ConditionalExpression':
      return parts('consequent', 'alternate')
    case 'ChainExpression':
    case 'TSNonNullExpression':
    case 'ParenthesizedExpression':
      return parts('expression')
    case 'CallExpression':
      return isNode(node['callee']) && node['callee']['name'] === 'nameOf'
    case 'TemplateLiteral':
      return (node['expressions'] as Node[]).some(mayBeName)
    case 'ArrowFunctionExpression':
      return parts('body')
    default:
      return false
  }
}

/** Returns the expression of a node if its parent shows it as content. Undefined otherwise. */
function shownBy(node: Node, parent: Node | undefined): Node | undefined {
  const { expression, key, value, name } = node as { [field: string]: unknown }
  if (node.type === 'JSXExpressionContainer' && parent?.type !== 'JSXAttribute') return toNode(expression)
  if (node.type === 'JSXAttribute' && isNode(name) && shownAttributes.has(String(name['name'])))
    return isNode(value) ? toNode(value['expression']) : undefined
  if (node.type === 'Property' && isNode(key) && shownFields.has(String(key['name']))) return toNode(value)
  return undefined
}

const toNode = (value: unknown) => (isNode(value) ? value : undefined)

/** Returns the places of a file where a name is shown outside of `<bdi>`, by line. */
export function findBareNames(path: string, text: string): string[] {
  const found: string[] = []
  const visit = (node: Node, parent?: Node) => {
    if (node.type === 'JSXElement' && isolating.has(elementOf(node))) return
    const shown = shownBy(node, parent)
    if (shown && mayBeName(shown)) {
      const line = text.slice(0, shown.start).split('\n').length
      found.push(`${path}:${line} ${text.slice(shown.start, shown['end'] as number)}`)
    }
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, node)
  }
  visit(parseSync(path, text).program as unknown as Node)
  return found
}

const elementOf = (node: Node) =>
  String(((node['openingElement'] as Node)['name'] as Node | undefined)?.['name'] ?? '')
