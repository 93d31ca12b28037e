import type { ServerResponse } from 'node:http'
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
import type { FromMemory, Front, FrontRequest, RespondFromMemory } from './front.ts'
import type { Identified } from './identified.ts'
import type { BodyReader } from './read-bytes.ts'
import type { RequestId } from './request-id.ts'
import { type Responder, statusOf } from './responder.ts'

/** The client that sent a request, for records and rate limits. */
export interface Client {
  readonly ip: string
  readonly userAgent: string | undefined
  readonly requestId: string
}

/** A request that has passed all checks. Its caller and its input have the types of the contract. */
export interface ApiRequest<E extends EndpointDefinition, Caller> extends EndpointInput<E> {
  readonly caller: Caller
  readonly client: Client
  readonly raw: FastifyRequest['raw']
}

/** Identifies the caller, with one function for each kind of authentication. The functions throw if it fails. */
export type Authenticators<Callers extends Record<Auth, unknown>> = {
  readonly [A in Auth]: (
    request: FastifyRequest,
    definition: EndpointDefinition,
  ) => Promise<Callers[A] & Identified> | (Callers[A] & Identified)
}

type MaybePromise<T> = T | Promise<T>

export interface Router<Callers extends Record<Auth, unknown>> {
  /**
   * Serves an endpoint. Authenticates, applies the rate limit, and validates as the definition declares, and then calls
   * `handler`.
   */
  route<const E extends EndpointDefinition>(
    definition: E,
    handler: (request: ApiRequest<E, Callers[E['auth']]>) => MaybePromise<EndpointOutput<E> | Answer>,
    /**
     * Called if the authentication fails. It can throw a more precise error. If it returns, the original error is sent.
     */
    onRefused?: (request: FastifyRequest, refusal: unknown) => Promise<void>,
  ): void
  /**
   * Serves one of the most frequent endpoints. `handler` authenticates, applies the rate limit, and validates by
   * itself, and returns JSON text. It must call `admit` as soon as it knows the caller. `answerFromMemory` is tried
   * first.
   */
  routeRaw(
    definition: EndpointDefinition,
    handler: (request: FastifyRequest) => Promise<string>,
    answerFromMemory?: RespondFromMemory,
  ): void
  /**
   * Answers plain requests for these addresses from memory, before the framework handles them. All other requests go to
   * the endpoint, which must also be registered with `route`. An address can have parameters, as in the contract.
   */
  routeFromMemory(definition: EndpointDefinition, urls: readonly string[], response: RespondFromMemory): void
  /**
   * Serves an endpoint of a standard protocol, such as OpenID Connect, whose requests and responses are not part of the
   * contract. Rate limits, counting, and load shedding apply as everywhere. `handle` returns a response, or calls
   * `release` and leaves the response to other code.
   */
  protocol(
    definition: EndpointDefinition,
    handle: (request: FastifyRequest, release: () => ServerResponse) => Promise<Answer | undefined>,
  ): void
  /** Serves the preflight requests with which browsers ask for permission to send a cross-origin request. */
  preflight(path: string, handle: (request: FastifyRequest) => Promise<Answer>): void
  /** Serves an address outside the contract, such as the pages about the API, or the metrics. */
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
  /** Throws if the definition of the endpoint does not permit this request to this caller. */
  readonly checkCaller: (definition: EndpointDefinition, caller: object, body: unknown) => void
  /** Undefined if every request must pass the hooks of the framework. */
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
  checkCaller,
  front,
  requestId,
}: RouterDeps<Callers>): Router<Callers> {
  type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  const allowedMethods = createAllowedMethods()

  /** Runs `handle`, and responds with an error if it throws. */
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
   * Counts a rejected credential against a rate limit, so that credentials cannot be guessed. Counts it for the IP
   * address, unless the error names a bucket. Does nothing if the caller was admitted, because that request is already
   * counted.
   */
  const counted = async (request: FastifyRequest, error: unknown) => {
    const isRejected = error instanceof ApiError && (error.status === 401 || error.status === 403)
    if (request.caller || !isRejected) return error
    const verdict = await limiter.consume(error.details.bucket ?? addressBucket(request.ip))
    return verdict.allowed ? error : tooMany(limiter, verdict, error)
  }

  /**
   * Registers a path. The first hook answers the request, so that the parsers and the other hooks of the framework
   * never run.
   */
  const serve = (
    path: string,
    method: EndpointDefinition['method'] | 'OPTIONS',
    terms: PageTerms,
    definition: EndpointDefinition | undefined,
    handle: Handle,
  ) => {
    const methods = method === 'GET' ? ['GET', 'HEAD'] : [method]
    allowedMethods.add(path, methods)
    const refusedFrom = refusedFromLevel(terms)
    const hasParams = path.includes('{')
    app.route({
      method: methods,
      url: urlOf(path),
      onRequest: (request, reply, _next) => {
        // If a path without parameters lacks this method, the framework picks a path with parameters that also matches.
        // Such a request is rejected as if no path matched.
        const isAnother = hasParams && allowedMethods.isPlain(request.raw.url ?? '')
        if (isAnother) void run(undefined, refusedFromLevel({}), request, reply, refuseUnmatched)
        else void run(definition, refusedFrom, request, reply, handle)
      },
      handler: () => {},
    })
  }

  const identify = async <A extends Auth>(
    auth: A,
    definition: EndpointDefinition,
    request: FastifyRequest,
    onRefused?: (request: FastifyRequest, refusal: unknown) => Promise<void>,
  ) => {
    try {
      return await authenticators[auth](request, definition)
    } catch (refusal) {
      await onRefused?.(request, refusal)
      throw refusal
    }
  }

  /** The times at which requests arrived that wait for their second attempt, so that their duration is complete. */
  const arrivals = new WeakMap<FrontRequest, number>()
  const addToFront = (definition: EndpointDefinition, url: string, response: RespondFromMemory) => {
    const refusedFrom = refusedFromLevel(definition)
    front?.add(`${definition.method} ${url}`, bodyLimitOf(definition), (request, body, params, write) => {
      if (pressure.level() >= refusedFrom) return false
      try {
        const known = response(request, body, params)
        if (!known) return false
        if (known instanceof Promise) {
          if (!arrivals.has(request)) arrivals.set(request, performance.now())
          return known
        }
        const arrivedMs = arrivals.get(request)
        const waitedMs = arrivedMs === undefined ? 0 : performance.now() - arrivedMs
        respond.sendFromMemory(definition, requestId(request.headers), known, { write, waitedMs })
        return true
      } catch {
        // The request goes to the framework, which fails in the same way and responds with the error.
        return false
      }
    })
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
        const caller = await identify(definition.auth, definition, request, onRefused)
        if (definition.unlimited === undefined) await admit(limiter, request, caller)
        else request.caller = caller
        const input = check(request) as EndpointInput<typeof definition>
        checkCaller(definition, caller, input.body)
        const output = await handler({ ...input, caller, client: clientOf(request), raw: request.raw })
        const response = output instanceof Answer ? output : new Answer(status, output)
        await respond.answer(definition, request, reply, response)
      })
    },
    routeRaw(definition, handler, answerFromMemory) {
      const { path, method } = definition
      serve(path, method, definition, definition, async (request, reply) => {
        respond.began(request)
        const answer = () => answerFromMemory?.(request.raw, request.body as Buffer, {})
        const first = answer()
        const known = first instanceof Promise ? await first.then<Awaited<FromMemory>>(answer) : first
        if (known) request.caller = known.caller
        await respond.sendJson(definition, request, reply, known?.json ?? (await handler(request)))
      })
      if (answerFromMemory) addToFront(definition, path, answerFromMemory)
    },
    routeFromMemory(definition, urls, response) {
      for (const url of urls) addToFront(definition, url, response)
    },
    protocol(definition, handle) {
      serve(definition.path, definition.method, definition, definition, async (request, reply) => {
        respond.began(request)
        await admit(limiter, request, stranger(request))
        const response = await handle(request, () => respond.releaseResponse(definition, request, reply))
        if (response) await respond.answer(definition, request, reply, response)
      })
    },
    preflight(path, handle) {
      serve(path, 'OPTIONS', {}, undefined, async (request, reply) => {
        await admit(limiter, request, stranger(request))
        await respond.answer(undefined, request, reply, await handle(request))
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

/** Returns the level of pressure from which on requests are rejected: 1 by default, 2 for `last`, none for `never`. */
const refusedFromLevel = ({ refusedUnderPressure }: PageTerms) =>
  refusedUnderPressure === 'never' ? Number.POSITIVE_INFINITY : refusedUnderPressure === 'last' ? 2 : 1

/** Converts a path of the contract to the syntax of the framework. */
const urlOf = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

const overloaded = () => new ApiError('SERVICE_OVERLOADED', { headers: { 'retry-after': '5' } })

/**
 * Records the caller of a request, and counts the request against the caller's rate limit. From then on, an error
 * counts for the caller and not for the IP address. Pass `taken` if the request has already been counted. Returns a
 * promise only if the rate limiter does.
 *
 * @throws RATE_LIMITED
 */
export function admit(
  limiter: RateLimiter,
  request: FastifyRequest,
  caller: Identified,
  taken: Verdict | Promise<Verdict> = limiter.consume(caller.bucket),
): Promise<void> | undefined {
  request.caller = caller
  if (taken instanceof Promise) return taken.then((verdict) => requireAllowed(limiter, verdict))
  requireAllowed(limiter, taken)
  return undefined
}

function requireAllowed(limiter: RateLimiter, verdict: Verdict): void {
  if (!verdict.allowed) throw tooMany(limiter, verdict)
}

/** Creates the error for a caller that has exceeded the rate limit. */
export const tooMany = (limiter: RateLimiter, verdict: Verdict, cause?: unknown) =>
  new ApiError('RATE_LIMITED', { headers: limiter.headers(verdict), cause })

export const clientOf = (request: FastifyRequest): Client => ({
  ip: request.ip,
  userAgent: request.headers['user-agent'],
  requestId: request.id,
})
