/** Sends a GET request for an endless response. */
export type OpenStream = (
  url: string,
  init: { readonly headers: Record<string, string>; readonly signal: AbortSignal },
) => Promise<Response>

type Http = Pick<typeof import('node:http'), 'get'>
type ToWeb = typeof import('node:stream')['Readable']['toWeb']

/** Opens the stream by `fetch`. Its connection keeps the process alive. */
export const openByFetch =
  (given: typeof fetch): OpenStream =>
  (url, init) =>
    given(url, { ...init, redirect: 'manual' })

/**
 * Opens a stream that keeps no process alive, if the runtime can. Node.js, Bun and Deno can unref a socket, but no
 * runtime can unref a `fetch`. Returns undefined on other runtimes, where no connection keeps a process alive.
 */
export function quietStream(): OpenStream | undefined {
  // Not imported: bundlers for browsers and edge runtimes would try to resolve these modules. There, each of them may
  // be missing.
  const builtIn = globalThis.process?.getBuiltinModule as NodeJS.Process['getBuiltinModule'] | undefined
  if (typeof builtIn !== 'function') return undefined
  const http: Http | undefined = builtIn('node:http')
  const https: Http | undefined = builtIn('node:https')
  const toWeb: ToWeb | undefined = builtIn('node:stream')?.Readable?.toWeb
  if (!http?.get || !https?.get || !toWeb) return undefined
  return (url, { headers, signal }) =>
    new Promise((resolve, reject) => {
      const { get } = url.startsWith('https:') ? https : http
      // Uses its own connection: unreferencing a pooled one would affect the other requests on it.
      const request = get(url, { headers, signal, agent: false }, (answer) => {
        const { statusCode: status = 502, headers: fields } = answer
        const body = [204, 205, 304].includes(status) ? null : toWeb(answer)
        const known = ['content-type', 'retry-after', 'x-request-id'].flatMap((name) => {
          const value = fields[name]
          return typeof value === 'string' ? [[name, value] as [string, string]] : []
        })
        resolve(new Response(body as ReadableStream<Uint8Array> | null, { status, headers: known }))
      })
      request.on('socket', (socket) => socket.unref?.()).on('error', reject)
    })
}
