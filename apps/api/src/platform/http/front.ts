import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiError } from './api-error.ts'
import { countHostLines } from './host-lines.ts'
import type { Identified } from './identified.ts'
import type { BodyReader } from './read-bytes.ts'
import { sendFinished, type WriteFinished } from './send.ts'

/** A request without its target and its body. */
export type Asked = Pick<IncomingMessage, 'headers' | 'socket'>

/** A finished response, and the caller. */
export interface MemoryAnswer {
  readonly caller: Identified
  /** The finished JSON, or undefined if the response has no body. */
  readonly json?: string
  /** Further headers as a flat list: name, value, name, value. Each must be valid to send. */
  readonly headers?: readonly string[]
}

/**
 * Answers a request from memory synchronously, or returns undefined to pass it to the framework. Counts only the
 * requests that it answers, and has no other effect.
 */
export type AnswerFromMemory = (asked: Asked, body: Buffer) => MemoryAnswer | undefined

/** Answers synchronously through `write`, or returns false. */
export type AnswerAtOnce = (asked: Asked, body: Buffer, write: WriteFinished) => boolean

interface Route {
  readonly answer: AnswerAtOnce
  readonly bodyLimit: number
}

const none = Buffer.alloc(0)

/**
 * Answers hot endpoints before the framework handles a request. The keys are targets: method, path, and query, as sent.
 * It answers only plain requests, and passes all others to the framework, so that each rule about unusual requests is
 * in one place.
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

  /** Answers a request that is plain and complete. */
  answerAtOnce(target: string, asked: Asked, body: Buffer, write: WriteFinished): boolean {
    return this.#routes.get(target)?.answer(asked, body, write) ?? false
  }

  /** Answers a request with a head that Node.js has parsed. */
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

/** Returns true for a request with one host, a stated length if it has a body, and no negotiation. */
const isPlain = (request: IncomingMessage): boolean => {
  const { headers, method } = request
  return (
    (headers['content-length'] !== undefined) === (method === 'POST') &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    countHostLines(request) === 1
  )
}
