import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Identified } from './identified.ts'

/** An answer that is finished, and who asked for it. */
export interface Known {
  readonly caller: Identified
  readonly json: string
}

/**
 * Answers a request in this very step from what is in memory, or does nothing: undefined passes the request on. It
 * counts what it answers, and nothing else.
 */
export type AnswerAtOnce = (headers: IncomingHttpHeaders, body: Buffer) => Known | undefined

/** Answers a request, or calls `passOn`, once. */
export type FrontHandler = (request: IncomingMessage, response: ServerResponse, passOn: () => void) => void

/**
 * What is asked before the framework sees a request: the hot path. By path, for POST. Only the plainest requests are
 * answered here; whatever is unusual about one is passed on, so that every rule about it is at one place.
 */
export class Front {
  readonly #handlers = new Map<string, FrontHandler>()

  add(path: string, handler: FrontHandler): void {
    this.#handlers.set(path, handler)
  }

  handle(
    request: IncomingMessage,
    response: ServerResponse,
    framework: (request: IncomingMessage, response: ServerResponse) => void,
  ): void {
    const handler = request.method === 'POST' ? this.#handlers.get(request.url ?? '') : undefined
    if (handler && isPlain(request.headers)) handler(request, response, () => framework(request, response))
    else framework(request, response)
  }
}

/** With a host and a length that was said before, and nothing to be agreed on first. */
const isPlain = (headers: IncomingHttpHeaders): boolean =>
  headers.host !== undefined &&
  headers['content-length'] !== undefined &&
  headers['transfer-encoding'] === undefined &&
  headers.expect === undefined
