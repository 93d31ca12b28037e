import type {
  Auth,
  EndpointDefinition,
  EndpointInput,
  EndpointOutput,
  ProblemDetail,
} from '@rolecall/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressBucket } from '#platform/rate-limit/address-bucket'
import type { RateLimiter, Verdict } from '#platform/rate-limit/rate-limiter'
import { Answer } from './answer.ts'
import { ApiError } from './api-error.ts'
import { readBody } from './read-body.ts'
import { readBytes } from './read-bytes.ts'
import { readQuery } from './read-query.ts'
import { type Responder, statusOf } from './responder.ts'
import { compile } from './validation.ts'

/** The client behind a request, as records and limits name it. */
export interface Client {
  readonly ip: string
  readonly userAgent: string | undefined
  readonly requestId: string
}

/** A checked request: who asks, and what, in the types of the contract. */
export interface ApiRequest<E extends EndpointDefinition, Caller> extends EndpointInput<E> {
  readonly caller: Caller
  readonly client: Client
  readonly raw: FastifyRequest['raw']
}

/** What an authenticator says of a caller; `bucket` is what the rate limit counts by. */
export interface Identified {
  readonly bucket: string
  readonly projectId?: string
}

export type Authenticators<Callers extends Record<Auth, unknown>> = {
  readonly [A in Auth]: (
    request: FastifyRequest,
  ) => Promise<Callers[A] & Identified> | (Callers[A] & Identified)
}

type MaybePromise<T> = T | Promise<T>

export interface Router<Callers extends Record<Auth, unknown>> {
  /** Serves an endpoint: authenticates, limits and validates by its declaration, then calls `handler`. */
  route<const E extends EndpointDefinition>(
    definition: E,
    handler: (request: ApiRequest<E, Callers[E['auth']]>) => MaybePromise<EndpointOutput<E> | Answer>,
    /** Called when the caller is refused, to refuse more precisely; returns to let the refusal stand. */
    onRefused?: (request: FastifyRequest, refusal: unknown) => Promise<void>,
  ): void
  /** Serves an endpoint whose handler does all of that itself, and answers finished JSON: the hot path. */
  finished(
    definition: EndpointDefinition,
    handler: (request: FastifyRequest) => Promise<{ json: string; projectId: string }>,
  ): void
}

interface RouterDeps<Callers extends Record<Auth, unknown>> {
  readonly app: FastifyInstance
  readonly authenticators: Authenticators<Callers>
  readonly limiter: RateLimiter
  readonly respond: Responder
}

export function createRouter<Callers extends Record<Auth, unknown>>({
  app,
  authenticators,
  limiter,
  respond,
}: RouterDeps<Callers>): Router<Callers> {
  type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** Where an endpoint is, and how it is handled; whatever `handle` throws becomes a refusal. */
  const serve = (definition: EndpointDefinition, handle: Handle) => ({
    method: definition.method,
    url: definition.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    handler: (request: FastifyRequest, reply: FastifyReply) => {
      handle(request, reply).catch(async (error: unknown) => {
        respond.refusal(definition, request, reply, await limited(definition, request, error))
      })
    },
  })

  /** Guessing credentials is limited by address: who is nobody has no other name. */
  const limited = async (definition: EndpointDefinition, request: FastifyRequest, error: unknown) => {
    if (!definition.limited || !(error instanceof ApiError) || error.status !== 401) return error
    const verdict = await limiter.take(addressBucket(request.ip))
    return verdict.allowed ? error : tooMany(limiter, verdict, error)
  }

  const identify = async <A extends Auth>(
    auth: A,
    request: FastifyRequest,
    onRefused?: (request: FastifyRequest, refusal: unknown) => Promise<void>,
  ) => {
    try {
      return await authenticators[auth](request)
    } catch (refusal) {
      await onRefused?.(request, refusal)
      throw refusal
    }
  }

  return {
    route(definition, handler, onRefused) {
      const check = checker(definition)
      const status = statusOf(definition)
      const served = serve(definition, async (request, reply) => {
        respond.began(request)
        const caller = await identify(definition.auth, request, onRefused)
        if (definition.limited) {
          const verdict = await limiter.take(caller.bucket)
          if (!verdict.allowed) throw tooMany(limiter, verdict)
        }
        const input = check(request) as EndpointInput<typeof definition>
        const output = await handler({ ...input, caller, client: clientOf(request), raw: request.raw })
        const answer = output instanceof Answer ? output : new Answer(status, output)
        respond.answer(definition, request, reply, answer, caller.projectId)
      })
      app.route(served)
    },
    finished(definition, handler) {
      const { handler: onRequest, ...where } = serve(definition, async (request, reply) => {
        request.body = await readBytes(request.raw)
        respond.began(request)
        const { json, projectId } = await handler(request)
        respond.finished(definition, request, reply, json, projectId)
      })
      // Answered in the first hook, and no further: parsers and hooks of the framework are for the others.
      app.route({
        ...where,
        onRequest: (request, reply, _next) => onRequest(request, reply),
        handler: () => {},
      })
    },
  }
}

/** The refusal of a caller who asked too often. */
export const tooMany = (limiter: RateLimiter, verdict: Verdict, cause?: unknown) =>
  new ApiError('RATE_LIMITED', { headers: limiter.headers(verdict), cause })

export const clientOf = (request: FastifyRequest): Client => ({
  ip: request.ip,
  userAgent: request.headers['user-agent'],
  requestId: request.id,
})

/** Reads and validates all parts of a request, so that a refusal names every problem at once. */
function checker(definition: EndpointDefinition) {
  const { params, query, body, bodyOptional } = definition
  const checkParams = params && compile(params)
  const checkQuery = query && compile(query)
  const checkBody = body && compile(body)

  return (request: FastifyRequest) => {
    const problems: ProblemDetail[] = []
    const input: { params?: unknown; query?: unknown; body?: unknown } = {}
    if (checkParams) {
      input.params = request.params
      problems.push(...checkParams(input.params))
    }
    if (checkQuery) {
      const read = readQuery(searchOf(request.raw.url), query)
      input.query = read.value
      problems.push(...read.problems, ...checkQuery(input.query))
    }
    if (checkBody) {
      const { 'content-type': type, 'content-encoding': encoding } = request.headers
      input.body = bodyOptional && isAbsent(request) ? {} : readBody(type, encoding, request.body)
      problems.push(...checkBody(input.body))
    }
    if (problems.length > 0) throw invalid(problems)
    return input
  }
}

/** Neither bytes nor a word about what they would be. */
export const isAbsent = ({ headers, body }: FastifyRequest) =>
  headers['content-type'] === undefined && !(Buffer.isBuffer(body) && body.length > 0)

function searchOf(url = '') {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

/** The refusal of a request, with everything that is wrong with it; a flood of problems is cut. */
export const invalid = (problems: readonly ProblemDetail[]) =>
  new ApiError('VALIDATION_FAILED', { errors: problems.slice(0, 100) })
