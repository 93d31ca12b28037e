/** What is read of a request, whatever the framework calls it. */
export interface Incoming {
  readonly method: string
  /** Path and query. The origin is that of `appUrl`, whatever the request says. */
  readonly path: string
  header(name: string): string | null | undefined
  /** Aborts when the browser is gone. Asked for by what goes on for long. */
  readonly signal?: AbortSignal | undefined
  /** The answer cannot set a cookie, so that nothing may be replaced: a refreshed session would be lost. */
  readonly isReadOnly?: boolean
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

/** A person who opens a page, and not a script, or a browser that only looks ahead. */
export function isNavigation({ method, header }: Pick<Incoming, 'method' | 'header'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (/prefetch|preview/.test(`${header('sec-purpose')} ${header('purpose')}`)) return false
  const mode = header('sec-fetch-mode')
  if (mode) return mode === 'navigate'
  return header('accept')?.includes('text/html') ?? false
}

/**
 * True when a page of this app sent the request. Another subdomain is not this app. Browsers send at least one of the
 * two headers with whatever changes something, and no script can make them up.
 */
export function isSameOrigin({ header }: Pick<Incoming, 'header'>, appUrl: string): boolean {
  const site = header('sec-fetch-site')
  return site ? site === 'same-origin' : header('origin') === appUrl
}

/** Nothing is changed by these, so that they may come from anywhere. */
export const isSafe = ({ method }: Pick<Incoming, 'method'>): boolean => /^(GET|HEAD|OPTIONS)$/.test(method)
