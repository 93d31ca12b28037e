import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiError } from './api-error.ts'
import { countHostLines } from './host-lines.ts'
import type { Identified } from './identified.ts'
import type { BodyReader } from './read-bytes.ts'
import { sendFinished, type WriteFinished } from './send.ts'

/** The part of a request that an endpoint needs before the framework has handled it. */
export type Asked = Pick<IncomingMessage, 'headers' | 'socket'>

/** A response from memory, and the caller that it is for. */
export interface MemoryAnswer {
  readonly caller: Identified
  /** The body as JSON, or undefined if the response has no body. */
  readonly json?: string
  /** Further headers as a flat list of names and values. They are sent without a check, so each must be valid. */
  readonly headers?: readonly string[]
}

/**
 * Creates a response from memory, synchronously. Returns undefined if it cannot: the framework then handles the
 * request. It counts the request only if it responds, and has no other side effect.
 */
export type AnswerFromMemory = (asked: Asked, body: Buffer) => MemoryAnswer | undefined

/** Responds synchronously with `write`, and returns true. Returns false if the framework must handle the request. */
export type AnswerAtOnce = (asked: Asked, body: Buffer, write: WriteFinished) => boolean

interface Route {
  readonly answer: AnswerAtOnce
  readonly bodyLimit: number
}

const none = Buffer.alloc(0)

/**
 * Answers the most frequent requests from memory, before the framework handles them. It answers only plain requests
 * (see `isPlain` and `plain-request.ts`). The framework handles all others, so that the rules for unusual requests
 * exist only once. A route is found by its target: the method, path, and query exactly as sent.
 */
export class Front {
  readonly #routes = new Map<string, Route>()
  readonly #bodies: BodyReader

  constructor(bodies: BodyReader) {
    this.#bodies = bodies
  }

  /** Adds a target, such as `POST /api/auth/validate`. */
  add(target: string, bodyLimit: number, answer: AnswerAtOnce): void {
    this.#routes.set(target, { answer, bodyLimit })
  }

  knows(target: string): boolean {
    return this.#routes.has(target)
  }

  /**
   * Answers a request that `plain-connections.ts` has read completely. Returns false if the framework must handle it.
   */
  answerAtOnce(target: string, asked: Asked, body: Buffer, write: WriteFinished): boolean {
    return this.#routes.get(target)?.answer(asked, body, write) ?? false
  }

  /** Handles a request that Node.js has parsed: answers it, or passes it to the framework. */
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

/**
 * Returns true if the request has exactly one `Host` line, a body with a stated length if it is a POST and none
 * otherwise, and no `Expect` header.
 */
const isPlain = (request: IncomingMessage): boolean => {
  const { headers, method } = request
  return (
    (headers['content-length'] !== undefined) === (method === 'POST') &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    countHostLines(request) === 1
  )
}
