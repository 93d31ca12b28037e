import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiError } from './api-error.ts'
import { countHostLines } from './host-lines.ts'
import type { Identified } from './identified.ts'
import type { BodyReader } from './read-bytes.ts'
import { sendFinished, type WriteFinished } from './send.ts'

/** What is known of a request besides what it asks for and its body. */
export type Asked = Pick<IncomingMessage, 'headers' | 'socket'>

/** An answer that is finished, and who asked for it. */
export interface MemoryAnswer {
  readonly caller: Identified
  /** Finished JSON; undefined where the headers are the answer. */
  readonly json?: string
  /** Of its own: name, value, name, value, each fit to be sent as it is. */
  readonly headers?: readonly string[]
}

/**
 * Answers a request in this very step from what is in memory, or does nothing: undefined passes the request on. It
 * counts what it answers, and nothing else.
 */
export type AnswerFromMemory = (asked: Asked, body: Buffer) => MemoryAnswer | undefined

/** Answers through `write` in this very step, or says that it did not. */
export type AnswerAtOnce = (asked: Asked, body: Buffer, write: WriteFinished) => boolean

interface Route {
  readonly answer: AnswerAtOnce
  readonly bodyLimit: number
}

const none = Buffer.alloc(0)

/**
 * What is asked before the framework sees a request: the hot path. By target: method, path and query, as they are sent.
 * Only the plainest requests are answered here; whatever is unusual about one is passed on, so that every rule about it
 * is at one place.
 */
export class Front {
  readonly #routes = new Map<string, Route>()
  readonly #bodies: BodyReader

  constructor(bodies: BodyReader) {
    this.#bodies = bodies
  }

  add(target: string, bodyLimit: number, answer: AnswerAtOnce): void {
    this.#routes.set(target, { answer, bodyLimit })
  }

  knows(target: string): boolean {
    return this.#routes.has(target)
  }

  /** For a request that is plain and whole. */
  answerAtOnce(target: string, asked: Asked, body: Buffer, write: WriteFinished): boolean {
    return this.#routes.get(target)?.answer(asked, body, write) ?? false
  }

  /** For a request that Node.js has read the head of. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    framework: (request: IncomingMessage, response: ServerResponse) => void,
  ): void {
    const route = this.#routes.get(`${request.method} ${request.url}`)
    if (!route || !isPlain(request)) return void framework(request, response)
    const write: WriteFinished = (head, more, body) => sendFinished(response, head, more, body)
    if (request.method === 'GET') {
      if (!route.answer(request, none, write)) framework(request, response)
      return
    }
    const passOn = (outcome: Buffer | ApiError) => {
      this.#bodies.putBack(request, outcome)
      framework(request, response)
    }
    const received = (body: Buffer) => {
      if (!route.answer(request, body, write)) passOn(body)
    }
    this.#bodies.receive(request, route.bodyLimit, received, passOn)
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
