import { randomBytes } from 'node:crypto'
import { createServer as createHttpServer, type IncomingMessage, STATUS_CODES } from 'node:http'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import type { Log } from '#platform/log'
import { maxParamLength } from './allowed-methods.ts'
import { ApiError } from './api-error.ts'
import { commonHeaders } from './common-headers.ts'
import { createConnectionCap } from './connections.ts'
import { endConnection, watchAnswers } from './end-connection.ts'
import type { Front } from './front.ts'
import { countHostLines } from './host-lines.ts'
import type { Identified } from './identified.ts'
import type { Lifecycle } from './lifecycle.ts'
import { type NodeInternals, nodeInternals } from './node-internals.ts'
import { readPlainConnections } from './plain-connections.ts'
import { responseOf } from './prepared-response.ts'
import { toApiError, toProblem } from './problem.ts'
import type { RequestId } from './request-id.ts'
import type { Responder } from './responder.ts'
import { keepAliveMs } from './send.ts'
import { endStalledConnections } from './stalled-connections.ts'

/** The time in which a client must send a whole request. `headersTimeoutMs` is the time for its head. */
const requestTimeoutMs = 10_000
const headersTimeoutMs = 5_000
const defaultStalledMs = 20_000

interface ServerOptions {
  readonly publicUrl: string
  readonly trustProxy: readonly string[]
  readonly maxConnections: number
  /** The time after which a client that reads none of its pending output is disconnected. */
  readonly stalledMs?: number | undefined
  /** Replacements for the private parts of Node.js, if these failed their check. */
  readonly internals?: NodeInternals | undefined
}

interface ServerParts {
  readonly lifecycle: Pick<Lifecycle, 'endsConnections'>
  readonly log: Pick<Log, 'warn'>
  readonly front: Front
  readonly requestId: RequestId
}

/**
 * Creates the Fastify server. Fastify only finds the route; the first hook of the router does everything else. Slow
 * clients are disconnected, and errors of the framework look like all other errors.
 */
export function createServer(
  {
    publicUrl,
    trustProxy,
    maxConnections,
    stalledMs = defaultStalledMs,
    internals = nodeInternals,
  }: ServerOptions,
  { lifecycle, log, front, requestId }: ServerParts,
): FastifyInstance {
  const connections = createConnectionCap({ maxConnections, log })
  const endsConnections = () => lifecycle.endsConnections() || connections.areCrowded()
  const app = Fastify({
    logger: false,
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    serverFactory: (framework) =>
      createHttpServer(
        {
          requestTimeout: requestTimeoutMs,
          keepAliveTimeout: keepAliveMs,
          headersTimeout: headersTimeoutMs,
          connectionsCheckingInterval: 1_000,
          // Checked in `answerWhatNodeWould`, because the error response of Node.js lacks the common headers.
          requireHostHeader: false,
          ServerResponse: responseOf(endsConnections, internals),
        },
        (request, response) => front.handle(request, response, framework),
      ),
    routerOptions: { maxParamLength, querystringParser: () => ({}) },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: ({ headers }) => requestId(headers),
    clientErrorHandler: (error, socket) => {
      try {
        if ((error as { code?: string }).code === 'ECONNRESET') socket.destroy()
        else endConnection(socket, () => rawProblem(error, publicUrl))
      } catch {
        socket.destroy()
      }
    },
    frameworkErrors: (error, request, reply) => {
      reply.server.refuse(error, request, reply)
    },
  })
  answerWhatNodeWould(app, publicUrl)
  app.decorateRequest('startedAtUs', 0)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('writesBefore', -1)
  watchAnswers(app.server)
  const plain = readPlainConnections(app.server, {
    ...{ front, endsConnections, internals },
    silentMs: headersTimeoutMs,
  })
  app.addHook('preClose', async () => plain.endUnused())
  connections.watch(app.server)
  endStalledConnections(app.server, stalledMs, internals)
  // The router reads the bodies itself, with the limit of each endpoint.
  app.removeAllContentTypeParsers()
  return app
}

/** Handles requests that Node.js would reject by itself, so that they get an error response like all others. */
function answerWhatNodeWould(app: FastifyInstance, publicUrl: string) {
  const unmet = new WeakSet<IncomingMessage>()
  app.server.on('checkExpectation', (request, response) => {
    unmet.add(request)
    app.server.emit('request', request, response)
  })
  app.server.on('connect', (_, socket) => {
    // Node.js has removed its listeners from this connection, and an error without a listener would end the process.
    socket.on('error', () => socket.destroy())
    socket.resume()
    socket.once('finish', () => socket.destroy())
    endConnection(socket, () => rawProblem(new ApiError('BAD_REQUEST'), publicUrl))
  })
  app.addHook('onRequest', (request, reply, next) => {
    const { raw } = request
    const hosts = countHostLines(raw)
    const isAddressed = hosts === 1 || (hosts === 0 && raw.httpVersion !== '1.1')
    if (isAddressed && !unmet.has(raw)) return next()
    const headers = { connection: 'close' }
    app.refuse(new ApiError(isAddressed ? 'EXPECTATION_FAILED' : 'BAD_REQUEST', { headers }), request, reply)
  })
}

/** Sends errors from outside the routes through the responder. */
export function refuseWith(app: FastifyInstance, respond: Responder) {
  app.decorate('refuse', (error, request, reply) => respond.refusal(undefined, request, reply, error))
  app.setErrorHandler((error, request, reply) => respond.refusal(undefined, request, reply, error))
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The time at which handling began, in microseconds, or 0 before that. Only the observer writes it. */
    startedAtUs: number
    /** The caller, once identified. From then on, an error counts for the caller and not for the IP address. */
    caller: Identified | undefined
    /** The number of writes of this process when handling began, or -1 before that. Only the responder writes it. */
    writesBefore: number
  }
  interface FastifyInstance {
    refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void
  }
}

/** Returns the text of the final response to bytes that are not a valid request. */
function rawProblem(error: Error, publicUrl: string): string {
  const known = toApiError(error)
  // No code of the service has run yet, so an unknown error is the fault of the client.
  const refusal = known.status < 500 ? known : new ApiError('BAD_REQUEST')
  const requestId = randomBytes(8).toString('hex')
  const body = JSON.stringify(toProblem(refusal, requestId, `${publicUrl}/api/docs/errors`))
  const headers = {
    ...commonHeaders(publicUrl),
    'x-request-id': requestId,
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`
}
