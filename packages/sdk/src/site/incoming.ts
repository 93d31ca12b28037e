/** The parts of a request that are read, independent of the framework. */
export interface Incoming {
  readonly method: string
  /** Path and query. The origin is always that of `appUrl`, never that of the request. */
  readonly path: string
  header(name: string): string | null | undefined
  /** Aborts when the browser disconnects. Used by long-running responses. */
  readonly signal?: AbortSignal | undefined
  /** True if the response cannot set a cookie. Nothing is refreshed then, as the new session would be lost. */
  readonly isReadOnly?: boolean
  /** True if only a redirect can be sent. The page that it leads to then calls the functions of the app. */
  readonly isRedirectOnly?: boolean
}

export function incomingOf(request: Request): Incoming {
  const { pathname, search } = new URL(request.url)
  return {
    method: request.method,
    path: pathname + search,
    header: (name) => request.headers.get(name),
    signal: request.signal,
  }
}

/** Returns true if a person opens a page: not a script, and not a browser that prefetches. */
export function isNavigation({ method, header }: Pick<Incoming, 'method' | 'header'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (/prefetch|preview/.test(`${header('sec-purpose')} ${header('purpose')}`)) return false
  const mode = header('sec-fetch-mode')
  if (mode) return mode === 'navigate'
  return header('accept')?.includes('text/html') ?? false
}

/**
 * Returns true if a page of this app sent the request. Another subdomain is not this app. Browsers send at least one of
 * the two headers with every request that changes something, and no script can forge them.
 */
export function isSameOrigin({ header }: Pick<Incoming, 'header'>, appUrl: string): boolean {
  const site = header('sec-fetch-site')
  return site ? site === 'same-origin' : header('origin') === appUrl
}

/** Returns true for methods that change nothing, which any site may send. */
export const isSafe = ({ method }: Pick<Incoming, 'method'>): boolean => /^(GET|HEAD|OPTIONS)$/.test(method)
