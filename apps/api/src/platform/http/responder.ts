import type { EndpointDefinition } from '@rolecall/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '#platform/log'
import type { Answer } from './answer.ts'
import type { ApiError } from './api-error.ts'
import { pageHeaders } from './page.ts'
import { toApiError, toProblem } from './problem.ts'

type Timed = Pick<FastifyRequest, 'startedAtUs'> & { readonly keyProjectId?: string | undefined }

/** Who wants to know what was answered: usage counts and the record of refused credentials. */
export interface Observer {
  /** The request of an endpoint is about to be handled; `answered` follows, once. */
  began(request: Timed): void
  /** `route` is the same string object for the same endpoint. */
  answered(route: string, projectId: string | undefined, status: number, request: Timed): void
  refused(error: ApiError, request: FastifyRequest, route: string): void
}

/** The only place that writes answers, so that every one of them carries the same headers. */
export interface Responder {
  /** Says that an answer will follow. */
  began(request: FastifyRequest): void
  answer(
    d: EndpointDefinition,
    request: FastifyRequest,
    reply: FastifyReply,
    answer: Answer,
    projectId?: string,
  ): void
  finished(
    d: EndpointDefinition,
    request: FastifyRequest,
    reply: FastifyReply,
    json: string,
    projectId: string,
  ): void
  refusal(
    d: EndpointDefinition | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    error: unknown,
  ): void
}

interface ResponderDeps {
  readonly publicUrl: string
  readonly log: Log
  readonly observer: Observer
  /** The page of a refusal, for endpoints that browsers open. */
  readonly refusalPage: (error: ApiError, requestId: string) => string
}

export function createResponder({ publicUrl, log, observer, refusalPage }: ResponderDeps): Responder {
  const docs = `${publicUrl}/api/docs/errors`
  const common = commonHeaders(publicUrl)
  const finishedHead = Object.entries({ ...common, 'content-type': 'application/json; charset=utf-8' }).flat()
  const begin = (request: FastifyRequest, reply: FastifyReply, status: number) => {
    reply.statusCode = status
    reply.headers(common)
    reply.header('x-request-id', request.id)
  }

  return {
    began: (request) => observer.began(request),
    answer(definition, request, reply, { status, body, headers, stream }, projectId) {
      begin(request, reply, status)
      reply.headers(headers)
      if (stream) reply.send(stream)
      else if (body === undefined) reply.send()
      else {
        if (!headers['content-type']) reply.header('content-type', 'application/json; charset=utf-8')
        reply.send(typeof body === 'string' ? body : JSON.stringify(body))
      }
      observer.answered(routeOf(definition), projectId, status, request)
    },
    finished(definition, request, reply, json, projectId) {
      // Past the framework: its hooks and serializers have nothing to do for what is finished.
      reply.hijack()
      const length = String(Buffer.byteLength(json))
      const head = [...finishedHead, 'x-request-id', request.id, 'content-length', length]
      const status = statusOf(definition)
      reply.raw.writeHead(status, head)
      // As text it goes out with its head, in one write.
      reply.raw.end(json)
      observer.answered(routeOf(definition), projectId, status, request)
    },
    refusal(definition, request, reply, thrown) {
      const error = toApiError(thrown)
      if (error.status >= 500) logFailure(log, error, request)
      begin(request, reply, error.status)
      reply.headers({ ...challenge(definition, error), ...error.details.headers })
      const problem = toProblem(error, request.id, docs)
      if (definition?.page && !wantsJson(request.headers.accept)) {
        reply.headers(pageHeaders).send(refusalPage(error, request.id))
      } else {
        reply.header('content-type', 'application/problem+json; charset=utf-8').send(JSON.stringify(problem))
      }
      const route = definition ? routeOf(definition) : 'unmatched'
      observer.refused(error, request, route)
      observer.answered(route, error.details.projectId, error.status, request)
    },
  }
}

const routes = new WeakMap<EndpointDefinition, string>()

/** The name of an endpoint, made once: maps find the same string faster than an equal one. */
function routeOf(definition: EndpointDefinition): string {
  const known = routes.get(definition)
  if (known !== undefined) return known
  const route = `${definition.method} ${definition.path}`
  routes.set(definition, route)
  return route
}

/** What a request is answered with when all is well. */
export const statusOf = ({ answers }: EndpointDefinition) => Number(Object.keys(answers)[0])

/** Headers of every answer. Nothing of ours is ever cached, framed, sniffed or named in a referrer. */
export const commonHeaders = (publicUrl: string) => ({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  ...(publicUrl.startsWith('https:') && {
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
  }),
})

/** RFC 9110 §11.6.1: a 401 says how to authenticate. */
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
  // An outage is told once by whoever watches it; each request that meets it is worth no more than this.
  if (error.status === 503) log.debug(at, 'answered 503')
  else log.error({ ...at, err: error.details.cause }, 'request failed')
}
