/** A GET whose answer goes on for as long as there is something to tell. */
export type OpenStream = (
  url: string,
  init: { readonly headers: Record<string, string>; readonly signal: AbortSignal },
) => Promise<Response>

/** By `fetch`. Its connection keeps the process alive. */
export const openByFetch =
  (given: typeof fetch): OpenStream =>
  (url, init) =>
    given(url, { ...init, redirect: 'manual' })

/**
 * Opens a stream that keeps no process alive, where the runtime can: Node.js, Bun and Deno let go of a socket, and no
 * runtime lets go of a `fetch`. Undefined elsewhere, which is where no process is kept alive by anything.
 */
export function quietStream(): OpenStream | undefined {
  const { process } = globalThis
  if (typeof process?.getBuiltinModule !== 'function') return undefined
  // Not imported: bundlers for browsers and edge runtimes would look for them.
  const [http, https] = [process.getBuiltinModule('node:http'), process.getBuiltinModule('node:https')]
  const { Readable } = process.getBuiltinModule('node:stream')
  return (url, { headers, signal }) =>
    new Promise((resolve, reject) => {
      const { get } = url.startsWith('https:') ? https : http
      // A connection of its own: one of a pool would be let go with whatever else uses it.
      const request = get(url, { headers, signal, agent: false }, (answer) => {
        const { statusCode: status = 502, headers: fields } = answer
        const body = [204, 205, 304].includes(status) ? null : Readable.toWeb(answer)
        const known = ['content-type', 'retry-after', 'x-request-id'].flatMap((name) => {
          const value = fields[name]
          return typeof value === 'string' ? [[name, value] as [string, string]] : []
        })
        resolve(new Response(body as ReadableStream<Uint8Array> | null, { status, headers: known }))
      })
      request.on('socket', (socket) => socket.unref()).on('error', reject)
    })
}
