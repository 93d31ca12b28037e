import type { FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import { equalInConstantTime } from '#platform/crypto/equal'
import { Answer } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import { bearerToken } from '#platform/http/credentials'
import type { Router } from '#platform/http/router'
import { isLoopbackAddress } from '#platform/loopback'
import type { Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'

/**
 * Registers `GET /metrics` for Prometheus. It is not part of the contract, because it is for operators, not projects.
 */
export function metricsRoute(
  { page }: Pick<Router<Callers>, 'page'>,
  { config }: Pick<Deps, 'config'>,
  registry: Pick<Registry, 'metrics' | 'contentType'>,
) {
  const terms = {
    unlimited:
      'A scraper polls often from one address. Attempts to guess its token are limited like all others.',
    refusedUnderPressure: 'never',
  } as const
  page('/metrics', terms, async (request) => {
    checkScraper(request, config.metricsToken)
    return new Answer(200, await registry.metrics(), { 'content-type': registry.contentType })
  })
}

/**
 * Checks a scraper. If a token is configured, the scraper must send it. Otherwise, only this machine is admitted, by
 * the address of the connection. Forwarded addresses do not count.
 *
 * @throws INVALID_METRICS_TOKEN, METRICS_LOCAL_ONLY
 */
function checkScraper(request: FastifyRequest, token: string | undefined) {
  if (token) {
    const given = bearerToken(request.raw)
    if (given !== undefined && equalInConstantTime(given, token)) return
    throw new ApiError('INVALID_METRICS_TOKEN', { reason: given === undefined ? 'missing' : 'unknown' })
  }
  const { headers, socket } = request.raw
  // A proxy on this machine has a local address, too, but it forwards the requests of strangers.
  const isForwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some((name) => headers[name])
  if (isForwarded || !isLoopbackAddress(socket.remoteAddress ?? '')) throw new ApiError('METRICS_LOCAL_ONLY')
}
