/** Sends a GET request for an endless response. Resolves when its headers arrive. */
export type OpenStream = (
  url: string,
  init: { readonly headers: Record<string, string>; readonly signal: AbortSignal },
) => Promise<Response>

type Http = Pick<typeof import('node:http'), 'get'>
type ToWeb = typeof import('node:stream')['Readable']['toWeb']

/** Opens streams by `fetch`. The connection keeps the process alive. */
export const openByFetch =
  (given: typeof fetch): OpenStream =>
  (url, init) =>
    given(url, { ...init, redirect: 'manual' })

/**
 * Returns a function that opens streams which do not keep the process alive. It uses `node:http`, because Node.js, Bun,
 * and Deno can unref a socket, but not a `fetch`. Returns undefined on other runtimes. There, no connection keeps a
 * process alive, so use `openByFetch`.
 */
export function quietStream(): OpenStream | undefined {
  // Loads the modules at run time. Bundlers for browsers and edge runtimes would try to resolve an import, and each of
  // the modules may be missing there.
  const builtIn = globalThis.process?.getBuiltinModule as NodeJS.Process['getBuiltinModule'] | undefined
  if (typeof builtIn !== 'function') return undefined
  const http: Http | undefined = builtIn('node:http')
  const https: Http | undefined = builtIn('node:https')
  const toWeb: ToWeb | undefined = builtIn('node:stream')?.Readable?.toWeb
  if (!http?.get || !https?.get || !toWeb) return undefined
  return (url, { headers, signal }) =>
    new Promise((resolve, reject) => {
      const { get } = url.startsWith('https:') ? https : http
      // Uses its own connection, because unreferencing a pooled one would affect the other requests on it.
      const request = get(url, { headers, signal, agent: false }, (response) => {
        const { statusCode: status = 502, headers: fields } = response
        const body = [204, 205, 304].includes(status) ? null : toWeb(response)
        const known = ['content-type', 'retry-after', 'x-request-id'].flatMap((name) => {
          const value = fields[name]
          return typeof value === 'string' ? [[name, value] as [string, string]] : []
        })
        resolve(new Response(body as ReadableStream<Uint8Array> | null, { status, headers: known }))
      })
      request.on('socket', (socket) => socket.unref?.()).on('error', reject)
    })
}
