import type { Route } from './route.ts'

/** The route of a request, with the parameters of its path. */
export interface Match {
  route: Route
  params: Record<string, string>
}

/** The prefixes of the API. A path without a version means an old version on the platform, but v10 here. */
const apiPrefix = /^\/api(?:\/v(?:9|10))?(?=\/)/

/**
 * Creates a router. The path with the fewest parameters takes precedence: `@me` in `/users/@me` is no user ID. The
 * function returns the match, or 'method' if the path exists with other methods.
 */
export function createRouter(routes: readonly Route[]) {
  const known = routes
    .map((route) => ({ route, wanted: segmentsOf(route.path) }))
    .toSorted((a, b) => countParameters(a.wanted) - countParameters(b.wanted))

  return (method: string, path: string): Match | 'method' | undefined => {
    const prefix = apiPrefix.exec(path)?.[0] ?? ''
    const otherPlace = prefix === '' ? 'api' : 'root'
    const segments = segmentsOf(path.slice(prefix.length))
    const fitting = known.filter(({ route, wanted }) => route.at !== otherPlace && fits(wanted, segments))
    const [first] = fitting
    if (!first) return undefined
    const found = fitting.find(
      ({ route, wanted }) =>
        route.method === method && countParameters(wanted) === countParameters(first.wanted),
    )
    return found ? { route: found.route, params: paramsOf(found.wanted, segments) } : 'method'
  }
}

const segmentsOf = (path: string) => path.split('/').slice(1)
const isParameter = (segment: string) => segment.startsWith(':')
const countParameters = (segments: readonly string[]) => segments.filter(isParameter).length

const fits = (wanted: readonly string[], segments: readonly string[]) =>
  wanted.length === segments.length && wanted.every((one, i) => isParameter(one) || one === segments[i])

const paramsOf = (wanted: readonly string[], segments: readonly string[]) =>
  Object.fromEntries(
    wanted.flatMap((one, i) => (isParameter(one) ? [[one.slice(1), safelyDecoded(segments[i] ?? '')]] : [])),
  )

function safelyDecoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
