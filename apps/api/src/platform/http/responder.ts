import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { EndpointDefinition } from '@rolecall/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '#platform/log'
import type { Answer } from './answer.ts'
import { ApiError } from './api-error.ts'
import { commonHeaders, headersElsewhere } from './common-headers.ts'
import type { MemoryResponse } from './front.ts'
import type { Identified } from './identified.ts'
import { notFoundPage } from './not-found-page.ts'
import type { RenderedPage } from './page.ts'
import { toApiError, toProblem } from './problem.ts'
import { type Reader, readerOf } from './reader.ts'
import {
  type PreparedHead,
  prepareHead,
  sendFinished,
  sendStream,
  sendWhole,
  type WriteFinished,
} from './send.ts'

type Timed = Pick<FastifyRequest, 'startedAtUs'> & { readonly caller?: Identified | undefined }

/** Observes all responses, for usage figures and for the record of rejected credentials. */
export interface Observer {
  /** Called before the request of an endpoint is handled. One call of `answered` follows. */
  began(request: Timed): void
  /** Called after a response. `route` is always the same string object for an endpoint. */
  answered(route: string, projectId: string | undefined, status: number, request: Timed): void
  refused(error: ApiError, request: FastifyRequest, route: string): void
}

/**
 * Writes all responses, so that each has the same headers. Bypasses the framework: its hooks and serializers run for no
 * response, and cannot fail in one.
 */
export interface Responder {
  /** Announces a request that will be answered. */
  began(request: FastifyRequest): void
  /**
   * Sends a response. `definition` is undefined outside the contract; such responses are not counted. Pass any error
   * that it throws to `refusal`, even if the response has begun.
   */
  answer(
    definition: EndpointDefinition | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    response: Answer,
  ): Promise<void>
  /** Sends a body that is already JSON. */
  sendJson(
    definition: EndpointDefinition,
    request: FastifyRequest,
    reply: FastifyReply,
    json: string,
  ): Promise<void>
  /**
   * Sends a response from memory. Does not wait for a confirmation, because the request has written nothing. Throws
   * only before the first byte. `waitedMs` is how long the request has waited for its rate limit.
   */
  sendFromMemory(
    definition: EndpointDefinition,
    requestId: string,
    known: MemoryResponse,
    terms: { readonly write: WriteFinished; readonly waitedMs: number },
  ): void
  /** Sets the common headers, and leaves the response to other code. It is counted when it has been sent. */
  releaseResponse(
    definition: EndpointDefinition,
    request: FastifyRequest,
    reply: FastifyReply,
  ): ServerResponse
  /**
   * Responds with an error, if the client can still be reached. Never throws, and never leaves a connection waiting: if
   * even the error cannot be written, sends a fixed text. Cuts off a response that has already begun.
   */
  refusal(
    definition: EndpointDefinition | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    error: unknown,
  ): void
}

/** The writes of this process, and their confirmation by the other processes. See `Answers`. */
export interface Writes {
  /** Returns the number of statements that may have changed something. */
  writes(): number
  /** Settles when no process serves data older than the changes. Never rejects. */
  confirm(): Promise<void>
}

interface ResponderDeps {
  readonly writes: Writes
  readonly publicUrl: string
  readonly log: Log
  readonly observer: Observer
  /** Renders the page that shows an error, for endpoints that people open in a browser. */
  readonly refusalPage: (error: ApiError, requestId: string, reader: Reader) => RenderedPage
}

export function createResponder({ writes, publicUrl, log, observer, refusalPage }: ResponderDeps): Responder {
  const docs = `${publicUrl}/api/docs/errors`
  const common = commonHeaders(publicUrl)
  /** Prepared once per endpoint, because even reading the status from the definition takes a measurable time. */
  const finishedHeads = new Map<EndpointDefinition, PreparedHead>()
  const finishedHead = (definition: EndpointDefinition): PreparedHead => {
    const known = finishedHeads.get(definition)
    if (known) return known
    const head = prepareHead(statusOf(definition), { ...common, 'content-type': jsonType })
    finishedHeads.set(definition, head)
    return head
  }
  const headersOf = (
    definition: EndpointDefinition | undefined,
    request: FastifyRequest,
    own: OutgoingHttpHeaders,
  ): OutgoingHttpHeaders => {
    const base = definition?.isOnOtherHosts ? headersElsewhere : common
    const headers: OutgoingHttpHeaders = { ...base, 'x-request-id': request.id }
    for (const [name, value] of Object.entries(own)) headers[name.toLowerCase()] = value
    return headers
  }

  /** Calls the observer. If it fails, the response is sent all the same. */
  const observe = (watch: () => void) => {
    try {
      watch()
    } catch (err) {
      attempt(() => log.error({ err }, 'response not counted: internal error'))
    }
  }
  const answered = (definition: EndpointDefinition | undefined, request: FastifyRequest, status: number) => {
    if (!definition) return
    observe(() => observer.answered(routeOf(definition), request.caller?.projectId, status, request))
  }

  /**
   * Waits until every instance has applied the changes of this request, so that the client can rely on them. This is
   * here so that no handler can forget it. A rejected request may have written something, too. Returns undefined
   * without a write.
   */
  const confirmed = (definition: EndpointDefinition | undefined, request: FastifyRequest) =>
    definition && changes(definition) && request.writesBefore >= 0 && writes.writes() !== request.writesBefore
      ? writes.confirm()
      : undefined
  /** Returns the error as a page if a person will read it: during a sign-in, or at an unknown address. */
  const pageOf = (definition: EndpointDefinition | undefined, request: FastifyRequest, error: ApiError) => {
    const { accept } = request.headers
    const wantsPage = accept?.includes('text/html') === true
    const isPage = definition?.page === 'onRequest' ? wantsPage : definition?.page && !wantsJson(accept)
    const isLost = definition === undefined && error.code === 'NOT_FOUND' && wantsPage
    if (!isPage && !isLost) return undefined
    const hasSwitch = !definition?.isOnOtherHosts && !definition?.isUsedOnce
    const reader = readerOf(request.raw, { hasSwitch })
    return isPage ? refusalPage(error, request.id, reader) : notFoundPage(request.id, reader)
  }

  function writeRefusal(
    definition: EndpointDefinition | undefined,
    request: FastifyRequest,
    raw: ServerResponse,
    error: ApiError,
  ) {
    const own = { ...challenge(definition, error), ...error.details.headers }
    const problem = toProblem(error, request.id, docs)
    const page = pageOf(definition, request, error)
    if (page) {
      sendWhole(raw, error.status, headersOf(definition, request, { ...own, ...page.headers }), page.body)
    } else {
      const headers = headersOf(definition, request, { ...own, 'content-type': problemType })
      sendWhole(raw, error.status, headers, JSON.stringify(problem))
    }
  }

  /** Sends the last resort: a fixed error without any input of a client or a handler. */
  function giveUp(request: FastifyRequest, raw: ServerResponse) {
    try {
      if (raw.headersSent) throw new Error('The response was already partly sent.')
      const body = JSON.stringify(toProblem(new ApiError('INTERNAL_ERROR'), request.id, docs))
      sendWhole(raw, 500, { ...common, 'x-request-id': request.id, 'content-type': problemType }, body)
    } catch {
      raw.destroy()
    }
  }

  return {
    began(request) {
      request.writesBefore = writes.writes()
      observe(() => observer.began(request))
    },
    async answer(definition, request, reply, { status, body, headers: own, stream }) {
      reply.hijack()
      await confirmed(definition, request)
      if (stream) {
        const began = () => answered(definition, request, status)
        return sendStream(reply.raw, status, headersOf(definition, request, own), stream, began)
      }
      const isFinished = body === undefined || typeof body === 'string' || body instanceof Buffer
      const text = isFinished ? body : JSON.stringify(body)
      const headers = headersOf(
        definition,
        request,
        text === undefined ? own : { 'content-type': jsonType, ...own },
      )
      sendWhole(reply.raw, status, headers, text)
      answered(definition, request, status)
    },
    async sendJson(definition, request, reply, json) {
      await confirmed(definition, request)
      reply.hijack()
      const head = finishedHead(definition)
      sendFinished(reply.raw, head, endOf(request.id, json), json)
      answered(definition, request, head.status)
    },
    sendFromMemory(definition, requestId, known, { write, waitedMs }) {
      const { caller, json: body = '', headers, head = finishedHead(definition) } = known
      const request: Timed = { startedAtUs: 0, caller }
      observe(() => observer.began(request))
      // The last bit is set, as in all these times, so that none is 0.
      if (waitedMs > 0) request.startedAtUs = (request.startedAtUs - waitedMs * 1_000) | 1
      const end = endOf(requestId, body)
      write(head, headers ? [...headers, ...end] : end, body)
      observe(() => observer.answered(routeOf(definition), caller.projectId, head.status, request))
    },
    releaseResponse(definition, request, reply) {
      reply.hijack()
      const { raw } = reply
      for (const [name, value] of Object.entries(headersOf(definition, request, {})))
        raw.setHeader(name, value ?? '')
      raw.once('finish', () => {
        if (!refusedWith.has(raw)) answered(definition, request, raw.statusCode)
      })
      return raw
    },
    refusal(definition, request, reply, thrown) {
      const error = toApiError(thrown)
      // After a failure of the service, the result of a change is unknown, so there is nothing to confirm.
      const settled = error.status < 500 ? confirmed(definition, request) : undefined
      if (settled) void settled.then(() => refuse(definition, request, reply, error))
      else refuse(definition, request, reply, error)
    },
  }

  function refuse(
    definition: EndpointDefinition | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    refused: ApiError,
  ) {
    const { raw } = reply
    let error = refused
    // The response has begun and was counted. All that remains is to end and log it.
    const isLate = raw.headersSent
    refusedWith.add(raw)
    try {
      reply.hijack()
      if (!isLate) writeRefusal(definition, request, raw, error)
      else if (!raw.writableEnded) raw.destroy()
    } catch (cause) {
      error = new ApiError('INTERNAL_ERROR', { cause })
      giveUp(request, raw)
    }
    if (error.status >= 500 || isLate) attempt(() => logFailure(log, error, request))
    if (isLate) return
    const route = definition ? routeOf(definition) : 'unmatched'
    const projectId = request.caller?.projectId ?? error.details.projectId
    observe(() => observer.refused(error, request, route))
    observe(() => observer.answered(route, projectId, error.status, request))
  }
}

/** Returns the headers that are added to a prepared head. */
const endOf = (requestId: string, body: string) => [
  'x-request-id',
  requestId,
  'content-length',
  String(Buffer.byteLength(body)),
]

/** The responses with an error. `refuse` counts them, so `releaseResponse` must not. */
const refusedWith = new WeakSet<ServerResponse>()

const changes = ({ method, isRead }: EndpointDefinition) => method !== 'GET' && !isRead

const jsonType = 'application/json; charset=utf-8'
const problemType = 'application/problem+json; charset=utf-8'

/** Runs code that reports a failure, and ignores its own failures. */
const attempt = (run: () => void) => {
  try {
    run()
  } catch {
    // There is nowhere left to report this.
  }
}

const routes = new WeakMap<EndpointDefinition, string>()

/** Returns the name of an endpoint: always the same string object, which a map finds faster than an equal one. */
function routeOf(definition: EndpointDefinition): string {
  const known = routes.get(definition)
  if (known !== undefined) return known
  const route = `${definition.method} ${definition.path}`
  routes.set(definition, route)
  return route
}

/** Returns the status of a successful response. */
export const statusOf = ({ answers }: EndpointDefinition) => Number(Object.keys(answers)[0])

/** Returns the `WWW-Authenticate` header of a 401 response, which states how to authenticate (RFC 9110 §11.6.1). */
function challenge(definition: EndpointDefinition | undefined, { status }: ApiError): Record<string, string> {
  if (status !== 401) return {}
  return {
    'www-authenticate':
      definition?.auth === 'projectKey' ? 'ApiKey realm="rolecall"' : 'Bearer realm="rolecall"',
  }
}

const wantsJson = (accept = '') =>
  /application\/(problem\+)?json/.test(accept) && !accept.includes('text/html')

function logFailure(log: Log, error: ApiError, request: FastifyRequest) {
  const at = {
    requestId: request.id,
    method: request.method,
    route: request.routeOptions?.url,
    code: error.code,
  }
  // An outage is logged once elsewhere, so each single 503 appears only at the debug level.
  if (error.status === 503) log.debug(at, 'request rejected: 503')
  else log.error({ ...at, err: error.details.cause }, 'request failed')
}
