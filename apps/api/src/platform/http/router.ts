import {
  type Auth,
  bodyLimitOf,
  type EndpointDefinition,
  type EndpointInput,
  type EndpointOutput,
} from '@rolecall/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Pressure } from '#platform/pressure'
import { addressBucket } from '#platform/rate-limit/address-bucket'
import type { RateLimiter } from '#platform/rate-limit/rate-limiter'
import type { Verdict } from '#platform/rate-limit/verdict'
import { createAllowedMethods } from './allowed-methods.ts'
import { Answer } from './answer.ts'
import { ApiError } from './api-error.ts'
import { createRequestCheck } from './check-request.ts'
import type { AnswerAtOnce, Front } from './front.ts'
import type { Identified } from './identified.ts'
import type { BodyReader } from './read-bytes.ts'
import type { RequestId } from './request-id.ts'
import { type Responder, statusOf } from './responder.ts'

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
  /**
   * Serves an endpoint whose handler does all of that itself, and answers finished JSON: the hot path. It calls `admit`
   * as soon as it knows who asks. `atOnce` is asked before it; what that answers is written in the step that made it.
   */
  finished(
    definition: EndpointDefinition,
    handler: (request: FastifyRequest) => Promise<string>,
    atOnce?: AnswerAtOnce,
  ): void
  /** Serves an address that is no part of the contract: pages about the API, metrics. */
  page(path: string, terms: PageTerms, handler: (request: FastifyRequest) => MaybePromise<Answer>): void
}

type PageTerms = Pick<EndpointDefinition, 'unlimited' | 'refusedUnderPressure'>

interface RouterDeps<Callers extends Record<Auth, unknown>> {
  readonly app: FastifyInstance
  readonly authenticators: Authenticators<Callers>
  readonly limiter: RateLimiter
  readonly respond: Responder
  readonly bodies: BodyReader
  readonly pressure: Pressure
  /** Undefined where every request has to pass the hooks of the framework. */
  readonly front: Front | undefined
  readonly requestId: RequestId
}

export function createRouter<Callers extends Record<Auth, unknown>>({
  app,
  authenticators,
  limiter,
  respond,
  bodies,
  pressure,
  front,
  requestId,
}: RouterDeps<Callers>): Router<Callers> {
  type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  const allowedMethods = createAllowedMethods()

  /** Runs `handle`; whatever fails on the way becomes a refusal, and nothing gets past that. */
  async function run(
    definition: EndpointDefinition | undefined,
    refusedFrom: number,
    request: FastifyRequest,
    reply: FastifyReply,
    handle: Handle,
  ) {
    try {
      if (pressure.level() >= refusedFrom) throw overloaded()
      if (definition && definition.method !== 'GET') {
        request.body = await bodies.read(request.raw, bodyLimitOf(definition))
      }
      await handle(request, reply)
    } catch (error) {
      await refused(definition, request, reply, error)
    }
  }

  const refused = async (
    definition: EndpointDefinition | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    error: unknown,
  ) => {
    const refusal = await counted(request, error).catch((failure: unknown) => failure)
    respond.refusal(definition, request, reply, refusal)
  }

  /**
   * Guessing is limited too. Who was admitted has been counted by their own bucket; who was turned away before that has
   * no other name than their address, unless the refusal names them.
   */
  const counted = async (request: FastifyRequest, error: unknown) => {
    const isTurnedAway = error instanceof ApiError && (error.status === 401 || error.status === 403)
    if (request.caller || !isTurnedAway) return error
    const verdict = await limiter.take(error.details.bucket ?? addressBucket(request.ip))
    return verdict.allowed ? error : tooMany(limiter, verdict, error)
  }

  /** Answered in the first hook, and no further: parsers and hooks of the framework have no part in it. */
  const serve = (
    path: string,
    method: EndpointDefinition['method'],
    terms: PageTerms,
    definition: EndpointDefinition | undefined,
    handle: Handle,
  ) => {
    const methods = method === 'GET' ? ['GET', 'HEAD'] : [method]
    allowedMethods.add(path, methods)
    const refusedFrom = refusedFromLevel(terms)
    app.route({
      method: methods,
      url: urlOf(path),
      onRequest: (request, reply, _next) => void run(definition, refusedFrom, request, reply, handle),
      handler: () => {},
    })
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

  const stranger = (request: FastifyRequest): Identified => ({ bucket: addressBucket(request.ip) })
  const refuseUnmatched: Handle = async (request) => {
    await admit(limiter, request, stranger(request))
    const methods = allowedMethods.of(request.raw.url ?? '')
    if (methods.length === 0) throw new ApiError('NOT_FOUND')
    throw new ApiError('METHOD_NOT_ALLOWED', { headers: { allow: methods.join(', ') } })
  }
  app.addHook('onRequest', (request, reply, next) => {
    if (request.is404) void run(undefined, refusedFromLevel({}), request, reply, refuseUnmatched)
    else next()
  })

  return {
    route(definition, handler, onRefused) {
      const check = createRequestCheck(definition)
      const status = statusOf(definition)
      serve(definition.path, definition.method, definition, definition, async (request, reply) => {
        respond.began(request)
        const caller = await identify(definition.auth, request, onRefused)
        if (definition.unlimited === undefined) await admit(limiter, request, caller)
        else request.caller = caller
        const input = check(request) as EndpointInput<typeof definition>
        const output = await handler({ ...input, caller, client: clientOf(request), raw: request.raw })
        const answer = output instanceof Answer ? output : new Answer(status, output)
        await respond.answer(definition, request, reply, answer)
      })
    },
    finished(definition, handler, atOnce) {
      const { path } = definition
      const limit = bodyLimitOf(definition)
      const refusedFrom = refusedFromLevel(definition)
      serve(path, definition.method, definition, definition, async (request, reply) => {
        respond.began(request)
        const known = atOnce?.(request.raw.headers, request.body as Buffer)
        if (known) request.caller = known.caller
        await respond.finished(definition, request, reply, known?.json ?? (await handler(request)))
      })
      if (!front || !atOnce) return
      front.add(path, (request, response, passOn) => {
        if (pressure.level() >= refusedFrom) return passOn()
        const handOver = (outcome: Buffer | ApiError) => {
          bodies.putBack(request, outcome)
          passOn()
        }
        const received = (body: Buffer) => {
          try {
            const known = atOnce(request.headers, body)
            if (known) return respond.known(definition, response, requestId(request.headers), known)
          } catch {
            // It fails once more where failures are answered.
          }
          handOver(body)
        }
        bodies.receive(request, limit, received, handOver)
      })
    },
    page(path, terms, handler) {
      serve(path, 'GET', terms, undefined, async (request, reply) => {
        if (terms.unlimited === undefined) await admit(limiter, request, stranger(request))
        await respond.answer(undefined, request, reply, await handler(request))
      })
    },
  }
}

/** The level of pressure from which on an endpoint is refused. */
const refusedFromLevel = ({ refusedUnderPressure }: PageTerms) =>
  refusedUnderPressure === 'never' ? Number.POSITIVE_INFINITY : refusedUnderPressure === 'last' ? 2 : 1

/** A path of the contract as the framework writes it. */
const urlOf = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

const overloaded = () => new ApiError('SERVICE_OVERLOADED', { headers: { 'retry-after': '5' } })

/**
 * Says who asks, and counts the request for them: from here on a refusal is theirs, not their address's. `taken` is
 * the count, where it was begun before. Without a promise where the limiter needs none.
 * @throws RATE_LIMITED
 */
export function admit(
  limiter: RateLimiter,
  request: FastifyRequest,
  caller: Identified,
  taken: Verdict | Promise<Verdict> = limiter.take(caller.bucket),
): Promise<void> | undefined {
  request.caller = caller
  if (taken instanceof Promise) return taken.then((verdict) => requireAllowed(limiter, verdict))
  requireAllowed(limiter, taken)
  return undefined
}

function requireAllowed(limiter: RateLimiter, verdict: Verdict): void {
  if (!verdict.allowed) throw tooMany(limiter, verdict)
}

/** The refusal of a caller who asked too often. */
export const tooMany = (limiter: RateLimiter, verdict: Verdict, cause?: unknown) =>
  new ApiError('RATE_LIMITED', { headers: limiter.headers(verdict), cause })

export const clientOf = (request: FastifyRequest): Client => ({
  ip: request.ip,
  userAgent: request.headers['user-agent'],
  requestId: request.id,
})
