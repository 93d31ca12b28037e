import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiError } from './api-error.ts'
import { countHostLines } from './host-lines.ts'
import type { Identified } from './identified.ts'
import type { BodyReader } from './read-bytes.ts'
import { type PreparedHead, sendFinished, type WriteFinished } from './send.ts'

/** The part of a request that an endpoint needs before the framework has handled it. */
export type FrontRequest = Pick<IncomingMessage, 'headers' | 'socket'>

/** A response from memory, and the caller that it is for. */
export interface MemoryResponse {
  readonly caller: Identified
  /** The body as JSON, or undefined if the response has no body. */
  readonly json?: string
  /** Further headers as a flat list of names and values. They are sent without a check, so each must be valid. */
  readonly headers?: readonly string[]
  /** The head of a response without a body. It replaces the common head of the endpoint's responses. */
  readonly head?: PreparedHead
}

/**
 * A response from memory, or undefined if the framework must handle the request. A promise means that a share of the
 * caller's rate limit is being reserved. When it settles, try once more.
 */
export type FromMemory = MemoryResponse | Promise<void> | undefined

/** Creates a response from memory, synchronously. It counts the request only if it responds. */
export type RespondFromMemory = (request: FrontRequest, body: Buffer, params: Params) => FromMemory

/** The parameters in the path of a request, by name. They consist of letters, digits, `_`, and `-`. */
export type Params = Readonly<Record<string, string>>

/**
 * Responds synchronously with `write`, and returns true. Returns false if the framework must handle the request. A
 * promise means: when it settles, try once more, or let the framework handle the request.
 */
type Respond = (
  request: FrontRequest,
  body: Buffer,
  params: Params,
  write: WriteFinished,
) => boolean | Promise<void>

interface Route {
  readonly respond: Respond
  readonly bodyLimit: number
}

/** An endpoint that may answer a request from memory, with the parameters of the request. */
export interface Found extends Route {
  readonly params: Params
}

const none = Buffer.alloc(0)

/**
 * Answers the most frequent requests from memory, before the framework handles them. It answers only plain requests
 * (see `isPlain` and `plain-request.ts`). The framework handles all others, so that the rules for unusual requests
 * exist only once. A route is found by its target: the method, path, and query exactly as sent. A path with parameters
 * matches only without a query and without percent-encoding.
 */
export class Front {
  readonly #routes = new Map<string, Found>()
  readonly #patterns: { readonly target: RegExp; readonly route: Route }[] = []
  readonly #bodies: BodyReader

  constructor(bodies: BodyReader) {
    this.#bodies = bodies
  }

  /** Adds a target, such as `POST /api/auth/validate` or `GET /api/servers/{serverId}/members/{memberId}`. */
  add(target: string, bodyLimit: number, respond: Respond): void {
    const route = { respond, bodyLimit }
    if (target.includes('{')) this.#patterns.push({ target: patternOf(target), route })
    else this.#routes.set(target, { ...route, params: {} })
  }

  /** Finds the endpoint for a target. Returns undefined if the framework must handle the request. */
  find(target: string): Found | undefined {
    const exact = this.#routes.get(target)
    if (exact) return exact
    for (const { target: pattern, route } of this.#patterns) {
      const params = pattern.exec(target)?.groups
      if (params) return { ...route, params }
    }
    return undefined
  }

  /** Handles a request that Node.js has parsed: answers it, or passes it to the framework. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    framework: (request: IncomingMessage, response: ServerResponse) => void,
  ): void {
    const found = this.find(`${request.method} ${request.url}`)
    if (!found || !isPlain(request)) return void framework(request, response)
    const { respond, params, bodyLimit } = found
    const write: WriteFinished = (head, more, body) => sendFinished(response, head, more, body)
    if (request.method === 'GET') {
      const answer = () => respond(request, none, params, write)
      answerOr(answer, response, () => framework(request, response))
      return
    }
    const passOn = (outcome: Buffer | ApiError) => {
      this.#bodies.putBack(request, outcome)
      framework(request, response)
    }
    const received = (body: Buffer) => {
      const answer = () => respond(request, body, params, write)
      answerOr(answer, response, () => passOn(body))
    }
    this.#bodies.receive(request, bodyLimit, received, passOn)
  }
}

/**
 * Answers from memory, if need be at the second attempt. Calls `passOn` if there is no answer, unless the client has gone
 * meanwhile.
 */
function answerOr(answer: () => boolean | Promise<void>, response: ServerResponse, passOn: () => void): void {
  const outcome = answer()
  if (outcome instanceof Promise)
    void outcome.then(() => void (response.destroyed || answer() === true || passOn()))
  else if (!outcome) passOn()
}

/** Converts a target with parameters to a regular expression with named groups. */
const patternOf = (target: string) =>
  new RegExp(`^${target.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[\\w-]+)')}$`)

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
