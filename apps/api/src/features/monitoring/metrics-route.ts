import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import { equalInConstantTime } from '#platform/crypto/equal'
import { ApiError } from '#platform/http/api-error'
import { bearerToken } from '#platform/http/credentials'
import { commonHeaders } from '#platform/http/responder'
import { tooMany } from '#platform/http/router'
import { addressBucket } from '#platform/rate-limit/address-bucket'
import type { Deps } from '../../deps.ts'

/** `GET /metrics`, for Prometheus. Not of the contract: it is about the process, not about members. */
export function metricsRoute(
  app: FastifyInstance,
  { config, limiter }: Pick<Deps, 'config' | 'limiter'>,
  registry: Pick<Registry, 'metrics' | 'contentType'>,
) {
  const headers = commonHeaders(config.publicUrl)
  app.get('/metrics', async (request, reply) => {
    try {
      checkScraper(request, config.metricsToken)
    } catch (refusal) {
      // Guessing the token is limited like guessing any other credential.
      const verdict = await limiter.take(addressBucket(request.ip))
      app.refuse(verdict.allowed ? refusal : tooMany(limiter, verdict, refusal), request, reply)
      return reply
    }
    reply.headers({ ...headers, 'x-request-id': request.id, 'content-type': registry.contentType })
    return reply.send(await registry.metrics())
  })
}

/** By token when there is one, else from this very machine: by the socket, whatever a proxy says of others. */
function checkScraper(request: FastifyRequest, token: string | undefined) {
  if (token) {
    const given = bearerToken(request.raw)
    if (given !== undefined && equalInConstantTime(given, token)) return
    throw new ApiError('INVALID_METRICS_TOKEN', { reason: given === undefined ? 'missing' : 'unknown' })
  }
  const { headers, socket } = request.raw
  // A proxy on this machine is a neighbour too, and speaks for strangers.
  const isForwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some((name) => headers[name])
  if (isForwarded || !isLoopback(socket.remoteAddress ?? '')) throw new ApiError('METRICS_LOCAL_ONLY')
}

const isLoopback = (address: string) => /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/.test(address)
