import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { countHostLines } from './host-lines.ts'
import type { Identified } from './identified.ts'

/** An answer that is finished, and who asked for it. */
export interface MemoryAnswer {
  readonly caller: Identified
  readonly json: string
}

/** The same of an answer that has headers and no body: name, value, name, value, each fit to be sent as it is. */
export interface MemoryHeaders {
  readonly caller: Identified
  readonly headers: readonly string[]
}

/**
 * Answers a request in this very step from what is in memory, or does nothing: undefined passes the request on. It
 * counts what it answers, and nothing else.
 */
export type AnswerFromMemory = (headers: IncomingHttpHeaders, body: Buffer) => MemoryAnswer | undefined

/** The same for a request without a body. */
export type HeadersFromMemory = (request: IncomingMessage) => MemoryHeaders | undefined

/** Answers a request, or calls `passOn`, once. */
export type FrontHandler = (request: IncomingMessage, response: ServerResponse, passOn: () => void) => void

/**
 * What is asked before the framework sees a request: the hot path. By path, for POST, and by
 * path and query, for GET. Only the plainest requests are
 * answered here; whatever is unusual about one is passed on, so that every rule about it is at one place.
 */
export class Front {
  readonly #handlers = new Map<string, FrontHandler>()
  readonly #reads = new Map<string, FrontHandler>()

  add(path: string, handler: FrontHandler): void {
    this.#handlers.set(path, handler)
  }

  addRead(url: string, handler: FrontHandler): void {
    this.#reads.set(url, handler)
  }

  handle(
    request: IncomingMessage,
    response: ServerResponse,
    framework: (request: IncomingMessage, response: ServerResponse) => void,
  ): void {
    const { method, url = '' } = request
    const known = method === 'POST' ? this.#handlers : method === 'GET' ? this.#reads : undefined
    const handler = known?.get(url)
    if (handler && isPlain(request)) handler(request, response, () => framework(request, response))
    else framework(request, response)
  }
}

/** With one host, a length that was said before where there is a body, and nothing to be agreed on first. */
const isPlain = (request: IncomingMessage): boolean => {
  const { headers, method } = request
  return (
    (headers['content-length'] !== undefined) === (method === 'POST') &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    countHostLines(request) === 1
  )
}
