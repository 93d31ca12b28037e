import type { Route } from './route.ts'

/** The route of a request, with the parameters of its path. */
export interface Match {
  route: Route
  params: Record<string, string>
}

interface Node {
  literal: Map<string, Node>
  parameter?: Node
  /** The routes that end here, by method, each with the names of its parameters in the order of the path. */
  routes: Map<string, { route: Route; names: string[] }>
}

const emptyNode = (): Node => ({ literal: new Map(), routes: new Map() })

/** The prefixes of the API. A path without a version means an old version on the platform, but v10 here. */
const apiPrefix = /^\/api(?:\/v(?:9|10))?(?=\/)/

/** Creates a router that walks through the segments of a path. So its cost does not grow with the number of routes. */
export function createRouter(routes: readonly Route[]) {
  const api = emptyNode()
  const root = emptyNode()
  for (const route of routes) {
    if (route.at !== 'root') insert(api, route)
    if (route.at !== 'api') insert(root, route)
  }

  /** Returns the match, or 'method' if the path exists with other methods. */
  return (method: string, path: string): Match | 'method' | undefined => {
    const prefix = apiPrefix.exec(path)?.[0]
    const tree = prefix === undefined ? root : api
    const values: string[] = []
    const node = walk(
      tree,
      path
        .slice(prefix?.length ?? 0)
        .split('/')
        .slice(1),
      0,
      values,
    )
    if (!node) return undefined
    const found = node.routes.get(method)
    if (!found) return 'method'
    const params = Object.fromEntries(found.names.map((name, i) => [name, values[i] ?? '']))
    return { route: found.route, params }
  }
}

function insert(tree: Node, route: Route): void {
  const names: string[] = []
  let node = tree
  for (const segment of route.path.split('/').slice(1)) {
    if (segment.startsWith(':')) {
      names.push(segment.slice(1))
      node.parameter ??= emptyNode()
      node = node.parameter
    } else {
      const next: Node = node.literal.get(segment) ?? emptyNode()
      node.literal.set(segment, next)
      node = next
    }
  }
  node.routes.set(route.method, { route, names })
}

/**
 * Finds the node of a path. A literal segment takes precedence over a parameter: `@me` in `/users/@me` is no user ID.
 */
function walk(node: Node, segments: readonly string[], at: number, values: string[]): Node | undefined {
  const segment = segments[at]
  if (segment === undefined) return node.routes.size > 0 ? node : undefined
  const literal = node.literal.get(segment)
  const exact = literal && walk(literal, segments, at + 1, values)
  if (exact || !node.parameter) return exact
  values.push(safelyDecoded(segment))
  const found = walk(node.parameter, segments, at + 1, values)
  if (!found) values.pop()
  return found
}

function safelyDecoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
