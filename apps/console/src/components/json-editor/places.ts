import { ensureSyntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'

/** A place in a text, as the positions of its start and its end. */
export interface Place {
  readonly from: number
  readonly to: number
}

/** Returns the place in a JSON text that a JSON Pointer names, or its deepest ancestor that exists. */
export function placeOf(state: EditorState, pointer: string): Place {
  let node = ensureSyntaxTree(state, state.doc.length, 100)?.topNode.firstChild ?? null
  let at: Place = { from: 0, to: state.doc.length }
  if (node) at = { from: node.from, to: node.to }
  for (const part of pointer.split('/').slice(1).map(readPart)) {
    const next = node?.name === 'Array' ? itemOf(node, part) : node && propertyOf(state, node, part)
    if (!next) break
    node = next
    at = { from: node.from, to: node.to }
  }
  return at
}

type SyntaxNode = NonNullable<ReturnType<typeof ensureSyntaxTree>>['topNode']

const values = new Set(['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null'])

function propertyOf(state: EditorState, object: SyntaxNode, key: string): SyntaxNode | null {
  for (const property of object.getChildren('Property')) {
    const name = property.getChild('PropertyName')
    if (name && textOf(state.sliceDoc(name.from, name.to)) === key) return property.lastChild
  }
  return null
}

function itemOf(array: SyntaxNode, part: string): SyntaxNode | null {
  let left = Number(part)
  for (let child = array.firstChild; child; child = child.nextSibling) {
    if (values.has(child.name) && left-- === 0) return child
  }
  return null
}

function textOf(literal: string): unknown {
  try {
    return JSON.parse(literal)
  } catch {
    return undefined
  }
}

const readPart = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')
