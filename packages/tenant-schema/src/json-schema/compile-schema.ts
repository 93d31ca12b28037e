import { ExactNumber } from '../json/exact-number.ts'
import { type Allowance, newSchema } from './allowance.ts'
import { arrayKeywords, lastArrayKeywords } from './array-keywords.ts'
import { problemsOfReferences } from './bounds.ts'
import {
  type Check,
  isObject,
  type Keyword,
  type Looks,
  type Node,
  type Reading,
  type SchemaObject,
} from './keyword.ts'
import { limits } from './limits.ts'
import { logicKeywords } from './logic-keywords.ts'
import { lastObjectKeywords, objectKeywords } from './object-keywords.ts'
import { createPatterns } from './patterns.ts'
import type { SchemaProblem } from './problem.ts'
import { pointer, type Run } from './run.ts'
import { Seen } from './seen.ts'
import { misshapen } from './shape.ts'
import { valueKeywords } from './value-keywords.ts'

const dialect = 'https://json-schema.org/draft/2020-12/schema'

/** All keywords that check something, in the order of their checks. */
const keywords: Readonly<Record<string, Keyword>> = {
  ...valueKeywords,
  ...arrayKeywords,
  ...objectKeywords,
  ...logicKeywords,
  ...lastArrayKeywords,
  ...lastObjectKeywords,
}
const inOrder = Object.keys(keywords)
const unevaluated = [...Object.keys(lastArrayKeywords), ...Object.keys(lastObjectKeywords)]

/** The keywords that check nothing: annotations for readers, and `$anchor`, which names a target for `$ref`. */
const silent = new Set([
  '$schema',
  '$anchor',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
])

/** A compiled schema, or all of its problems. */
export type Compiled = { readonly root: Node } | { readonly problems: SchemaProblem[] }

/**
 * Compiles a schema of a tenant (JSON Schema 2020-12) to a tree of checks. It generates no code, and reads nothing
 * outside the schema.
 *
 * Rejects unsupported parts, and parts that could stall a validation: unknown keywords (including `$id` and `$async`),
 * external or cyclic references, and everything larger than `limits`. Each problem has a path.
 *
 * @throws TooCostly if compiling costs more than the allowance
 */
export function compileSchema(schema: unknown, allowance: Allowance = newSchema): Compiled {
  const shape = misshapen(schema)
  if (shape)
    return refused(
      shape === 'DEPTH' ? `nests deeper than ${limits.depth} levels` : 'has a number that is not valid',
    )
  const changed = placesOfExactNumbers(schema)
  if (changed.length > 0) return { problems: changed.map(refuseNumber) }
  const bytes = new TextEncoder().encode(JSON.stringify(schema)).length
  if (bytes > limits.schemaBytes) return refused(`is longer than ${limits.schemaBytes} bytes`)

  const problems: SchemaProblem[] = []
  const nodes = new Map<string, Node>()
  const anchors = new Map<string, Node>()
  const references: { from: Node; text: string; proxy: Node; path: Path }[] = []
  const complain = (message: string, path: Path) => {
    problems.push({ path: pointer(path), message, code: 'SCHEMA' })
  }
  const patterns = createPatterns(allowance)

  const read = (value: unknown, path: Path): Node => {
    const at = exactPointer(path)
    const known = nodes.get(at)
    if (known) return known
    const node: Node = { pointer: at, check: () => true, inPlace: [] }
    nodes.set(at, node)
    if (nodes.size > limits.subschemas) return node
    if (typeof value === 'boolean') {
      if (!value) node.check = (_, run) => run.fail('FALSE', 'is not allowed here')
    } else if (isObject(value)) node.check = readObject(value, path, node)
    else complain('must be a schema: an object, true or false', path)
    return node
  }

  const readObject = (schema: SchemaObject, path: Path, node: Node): Check => {
    readSilent(schema, path, node)
    const checks: Check[] = []
    for (const keyword of inOrder) {
      if (!Object.hasOwn(schema, keyword)) continue
      const check = keywords[keyword]?.(readingOf(schema, keyword, path, node))
      if (check) checks.push(check)
    }
    return checkAll(
      checks,
      unevaluated.some((keyword) => Object.hasOwn(schema, keyword)),
    )
  }

  const readingOf = (schema: SchemaObject, keyword: string, path: Path, node: Node): Reading => {
    const value = schema[keyword]
    const here = [...path, keyword]
    return {
      value,
      schema,
      sub: (looks, ...keys) => linked(node, looks, read(valueAt(value, keys), [...here, ...keys])),
      sibling: (name) => linked(node, 'inPlace', read(schema[name], [...path, name])),
      refer: (text) => {
        const proxy: Node = { pointer: exactPointer(here), check: () => true, inPlace: [] }
        references.push({ from: node, text, proxy, path: here })
        return proxy
      },
      pattern: (source, ...keys) => patterns.get(source, (message) => complain(message, [...here, ...keys])),
      complain: (message, ...keys) => complain(message, [...here, ...keys]),
    }
  }

  const readSilent = (schema: SchemaObject, path: Path, node: Node) => {
    for (const [keyword, value] of Object.entries(schema)) {
      const here = [...path, keyword]
      if (!Object.hasOwn(keywords, keyword) && !silent.has(keyword) && !keyword.startsWith('x-')) {
        complain('is not a supported keyword', here)
      }
      if (keyword === '$schema' && String(value).replace(/#$/, '') !== dialect)
        complain(`must be ${dialect}`, here)
      if (keyword === '$anchor') {
        if (typeof value !== 'string' || !/^[A-Za-z_][-A-Za-z0-9._]*$/.test(value))
          complain('must be a plain name', here)
        else if (anchors.has(value)) complain('is used twice', here)
        else anchors.set(value, node)
      }
    }
  }

  const root = read(schema, [])
  for (const { from, text, proxy, path } of references) {
    const target = resolve(text, nodes, anchors)
    if (!target) complain('must refer to a schema within this one: #/$defs/name, #anchor, or #', path)
    else {
      proxy.check = (value, run, seen) => target.check(value, run, seen)
      from.inPlace.push(target)
    }
  }
  if (nodes.size > limits.subschemas) return refused(`has more than ${limits.subschemas} schemas in it`)
  if (problems.length === 0) for (const one of problemsOfReferences(nodes.values())) problems.push(one)
  return problems.length > 0 ? { problems } : { root }
}

type Path = readonly (string | number)[]

/** Returns the problem of a number that a double cannot represent. A stored schema would contain another number. */
const refuseNumber = (path: Path): SchemaProblem => ({
  path: pointer(path),
  message: 'must be a number that every JSON reader can represent: this one has too many digits',
  code: 'SCHEMA',
})

function placesOfExactNumbers(value: unknown, path: Path = []): Path[] {
  if (value instanceof ExactNumber) return [path]
  if (typeof value !== 'object' || value === null) return []
  const members: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value)
  return members.flatMap(([key, inner]) => placesOfExactNumbers(inner, [...path, key]))
}

const refused = (message: string): Compiled => ({ problems: [{ path: '', message, code: 'SCHEMA' }] })

/** Returns the JSON Pointer of a place. Unlike in errors, it is never shortened, so each place has a different one. */
const exactPointer = (path: Path) =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const valueAt = (value: unknown, keys: Path): unknown =>
  keys.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], value)

function linked(from: Node, looks: Looks, to: Node): Node {
  if (looks === 'inPlace') from.inPlace.push(to)
  return to
}

/** Returns the schema that a reference names. Undefined if there is no schema at that place. */
function resolve(text: string, nodes: Map<string, Node>, anchors: Map<string, Node>): Node | undefined {
  if (!text.startsWith('#')) return undefined
  try {
    const fragment = decodeURIComponent(text.slice(1))
    return fragment === '' || fragment.startsWith('/') ? nodes.get(fragment) : anchors.get(fragment)
  } catch {
    return undefined
  }
}

/** Combines the checks of all keywords of a schema into one. */
function checkAll(checks: readonly Check[], hasUnevaluated: boolean): Check {
  const cost = 6 + checks.length * 4
  return (value, run, seen) => {
    run.spend(cost)
    run.enter()
    const own = hasUnevaluated ? new Seen() : seen
    const passed = runAll(checks, value, run, own)
    if (own && seen && own !== seen) seen.add(own, run)
    run.leave()
    return passed
  }
}

function runAll(checks: readonly Check[], value: unknown, run: Run, seen: Seen | undefined): boolean {
  let passed = true
  for (const check of checks) {
    if (check(value, run, seen)) continue
    if (run.quiet > 0) return false
    passed = false
  }
  return passed
}
