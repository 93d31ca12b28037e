import type { Incoming } from './incoming.ts'
import type { OpenedRequest, Site } from './site.ts'
import type { Visit } from './visit.ts'

/**
 * The parts of a `node:http` request that are used here. Express adds `originalUrl`, because it removes the prefix of a
 * mounted router from `url`.
 */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly originalUrl?: string | undefined
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** The parts of a `node:http` response that are used here. */
export interface NodeResponse {
  statusCode: number
  readonly destroyed: boolean
  getHeader(name: string): string | number | readonly string[] | undefined
  setHeader(name: string, value: string | readonly string[]): unknown
  writeHead(status: number, ...rest: unknown[]): unknown
  write(chunk: Uint8Array): boolean
  end(): unknown
  once(event: 'close' | 'drain', listener: () => void): unknown
}

function incomingOfNode(request: NodeRequest, response: Pick<NodeResponse, 'once'>): Incoming {
  return {
    method: request.method ?? 'GET',
    path: request.originalUrl ?? request.url ?? '/',
    header: (name) => {
      const value = request.headers[name]
      return typeof value === 'string' ? value : value?.join(', ')
    },
    get signal() {
      const controller = new AbortController()
      response.once('close', () => controller.abort())
      return controller.signal
    },
  }
}

/**
 * Opens a request. If the result has an `earlyResponse`, send it with `sendToNode`. Otherwise the app responds, and its
 * response gets the cookies of the visit.
 */
export async function openNode(
  site: Site,
  request: NodeRequest,
  response: NodeResponse,
): Promise<OpenedRequest> {
  const opened = await site.open(incomingOfNode(request, response))
  if (!opened.earlyResponse) finishNode(site, opened.visit, response)
  return opened
}

/** Sends a response, until it ends or the client disconnects. Resolves to false if `webResponse` is undefined. */
export async function sendToNode(
  webResponse: Response | undefined,
  response: NodeResponse,
): Promise<boolean> {
  if (!webResponse) return false
  response.statusCode = webResponse.status
  for (const [name, value] of webResponse.headers) if (name !== 'set-cookie') response.setHeader(name, value)
  addCookies(response, webResponse.headers)
  const reader = webResponse.body?.getReader()
  if (reader) {
    let wake = () => {}
    const stop = () => {
      void reader.cancel().catch(() => {})
      wake()
    }
    response.once('close', stop)
    // `close` has already happened if the client disconnected while the response was made.
    if (response.destroyed) stop()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      if (!response.write(value) && !response.destroyed)
        await new Promise<void>((resolve) => {
          wake = resolve
          response.once('drain', resolve)
        })
    }
  }
  response.end()
  return true
}

/**
 * Adds the cookies of a visit to the app's response. Replaces `writeHead` for that, because the list of cookies can
 * grow until the response begins. Keeps the headers of the app, but overwrites `cache-control` if there are cookies.
 */
function finishNode(site: Site, visit: Visit, response: NodeResponse): void {
  const { writeHead } = response
  response.writeHead = (status, ...rest) => {
    const headers = new Headers()
    site.finish(visit, headers)
    const cacheControl = headers.get('cache-control')
    if (cacheControl === null) return writeHead.call(response, status, ...rest)
    const message = rest.filter((one) => typeof one === 'string')
    for (const [name, value] of headersOf(rest.at(-1))) response.setHeader(name, value)
    addCookies(response, headers)
    response.setHeader('cache-control', cacheControl)
    return writeHead.call(response, status, ...message)
  }
}

/** Lists the headers that the app passes to `writeHead`, which accepts an object, pairs, or a flat list. */
function headersOf(given: unknown): [string, string][] {
  if (typeof given !== 'object' || given === null) return []
  if (!Array.isArray(given)) return Object.entries(given)
  if (Array.isArray(given[0])) return given
  return given.flatMap((name, i) => (i % 2 === 0 ? [[name, given[i + 1]] as [string, string]] : []))
}

function addCookies(response: NodeResponse, headers: Headers): void {
  const added = headers.getSetCookie()
  const before = response.getHeader('set-cookie') ?? []
  if (added.length > 0) response.setHeader('set-cookie', [before, added].flat().map(String))
}
