/** A request, independent of the framework. Each adapter creates it from its framework's request. */
export interface Incoming {
  readonly method: string
  /**
   * Path and query. The origin is missing on purpose: use `appUrl`, because the sender chooses the `Host` of a request.
   */
  readonly path: string
  header(name: string): string | null | undefined
  /** Aborts when the browser disconnects. Ends long-running responses. */
  readonly signal?: AbortSignal | undefined
  /**
   * True if the response cannot set a cookie. The session is not refreshed then, because its new tokens would be lost.
   */
  readonly isReadOnly?: boolean
  /**
   * True if the framework can only redirect, not send a page. The route that the redirect leads to then calls the app's
   * `pages` and `onRefused`.
   */
  readonly isRedirectOnly?: boolean
}

/** Reads a `Request`. */
export function incomingOf(request: Request): Incoming {
  const { pathname, search } = new URL(request.url)
  return {
    method: request.method,
    path: pathname + search,
    header: (name) => request.headers.get(name),
    signal: request.signal,
  }
}

/** Returns true if a person opens a page. False for requests of scripts, and for prefetching. */
export function isNavigation({ method, header }: Pick<Incoming, 'method' | 'header'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (/prefetch|preview/.test(`${header('sec-purpose')} ${header('purpose')}`)) return false
  const mode = header('sec-fetch-mode')
  if (mode) return mode === 'navigate'
  return header('accept')?.includes('text/html') ?? false
}

/**
 * Returns true if a page of this app sent the request. A page of another subdomain is not one of this app. Use it for
 * methods that change something: with these, browsers always send `Sec-Fetch-Site` or `Origin`, and no script can forge
 * either.
 */
export function isSameOrigin({ header }: Pick<Incoming, 'header'>, appUrl: string): boolean {
  const site = header('sec-fetch-site')
  return site ? site === 'same-origin' : header('origin') === appUrl
}

/** Returns true for methods that change nothing. Requests with these methods are accepted from any site. */
export const isSafe = ({ method }: Pick<Incoming, 'method'>): boolean => /^(GET|HEAD|OPTIONS)$/.test(method)
