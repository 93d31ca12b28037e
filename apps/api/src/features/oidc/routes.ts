import type { ServerResponse } from 'node:http'
import { type EndpointDefinition, logoutDeliveries } from '@rolecall/contract'
import type { FastifyRequest } from 'fastify'
import { listLog, resend } from '#deliveries/delivery-log'
import { Answer } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import { createAddressReader } from '#platform/http/client-address'
import { isSameOrigin } from '#platform/http/credentials'
import type { Router } from '#platform/http/router'
import { by, type Callers } from '../../callers/callers.ts'
import { introspectionFromMemory, userinfoFromMemory } from './answer-from-memory.ts'
import { respondToPreflight } from './cors.ts'
import { logoutLog } from './logout-log.ts'
import { createOidc } from './oidc.ts'
import type { OidcDeps } from './oidc-deps.ts'

/** Handles a request. Returns undefined if the library has sent the response through `release()`. */
type Handle = (request: FastifyRequest, release: () => ServerResponse) => Promise<Answer | undefined>

/**
 * Defines an endpoint of OpenID Connect or OAuth 2.0. It has no schemas, because the standards specify its messages.
 */
const endpointOf = (method: 'GET' | 'POST', path: string, more: Partial<EndpointDefinition> = {}) => ({
  method,
  path,
  tag: 'OpenID Connect',
  summary: path,
  auth: 'none' as const,
  refusedUnderPressure: 'last' as const,
  answers: { 200: null },
  refuses: [],
  ...more,
})

const isPage = { page: true }
/** The maximum size of a request body in bytes. No valid request of the protocol is larger. */
const bodyLimit = 16 * 1024

/** Registers the endpoints of OpenID Connect, and those of the log of logout tokens. Returns the provider. */
export function oidcRoutes({ route, routeFromMemory, protocol, preflight }: Router<Callers>, deps: OidcDeps) {
  const oidc = createOidc(deps)
  const { config } = deps
  const memoryDeps = { ...deps, addressOf: createAddressReader(config.trustProxy) }
  const library: Handle = (request, release) => oidc.answer(request, release)
  const grant: Handle = (request, release) => oidc.answerGrant(request, release)

  const open = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/oidc/jwks']
  for (const path of open) {
    protocol(endpointOf('GET', path), library)
    preflight(path, ({ headers }) => respondToPreflight(deps, headers.origin, 'GET'))
  }
  const protocolPaths = [
    '/oidc/token',
    '/oidc/introspect',
    '/oidc/revoke',
    '/oidc/device_authorization',
    '/oidc/par',
  ]
  for (const path of protocolPaths) {
    const definition = endpointOf('POST', path, { bodyLimit })
    protocol(definition, path === '/oidc/token' ? grant : library)
    if (path === '/oidc/introspect')
      routeFromMemory(definition, [path], (request, body) =>
        introspectionFromMemory(memoryDeps, request, body),
      )
    preflight(path, ({ headers }) => respondToPreflight(deps, headers.origin, 'POST'))
  }
  for (const method of ['GET', 'POST'] as const) {
    const userinfo = endpointOf(method, '/oidc/me', { bodyLimit })
    protocol(userinfo, library)
    routeFromMemory(userinfo, ['/oidc/me'], (request, body) => userinfoFromMemory(memoryDeps, request, body))
  }
  preflight('/oidc/me', ({ headers }) => respondToPreflight(deps, headers.origin, 'GET, POST'))

  for (const path of ['/oidc/auth', '/oidc/session/end']) {
    protocol(endpointOf('GET', path, isPage), library)
    // If a form on the client's site sends the request by POST, the browser omits the cookies of this service. The
    // redirect turns the request into a navigation by GET. Browsers send the cookies with such a navigation.
    protocol(endpointOf('POST', path, { ...isPage, bodyLimit: 8 * 1024 }), async (request) =>
      asGet(request, path),
    )
  }
  protocol(endpointOf('GET', '/oidc/auth/{uid}', isPage), library)
  protocol(endpointOf('GET', '/oidc/session/end/success', isPage), library)
  protocol(endpointOf('POST', '/oidc/session/end/confirm', { ...isPage, bodyLimit }), async (request) => {
    if (!isSameOrigin(request.raw, config.publicUrl)) throw new ApiError('CROSS_SITE_REQUEST')
    return oidc.logoutAnswered(request, formOf(request))
  })
  protocol(endpointOf('GET', '/oidc/interaction/{uid}', isPage), (request) => oidc.showInteraction(request))
  protocol(endpointOf('POST', '/oidc/interaction/{uid}', { ...isPage, bodyLimit }), (request) =>
    oidc.answerInteraction(request, formOf(request).get('decision')),
  )
  protocol(endpointOf('GET', '/device', isPage), library)
  protocol(endpointOf('POST', '/device', { ...isPage, bodyLimit }), async (request, release) => {
    if (!isSameOrigin(request.raw, config.publicUrl)) throw new ApiError('CROSS_SITE_REQUEST')
    await oidc.countGuess(request)
    return library(request, release)
  })
  protocol(endpointOf('GET', '/device/{uid}', isPage), library)

  route(logoutDeliveries.listLogoutDeliveries, ({ params, query }) =>
    listLog(deps, logoutLog, params.id, query),
  )
  route(logoutDeliveries.resendLogoutDelivery, (request) => {
    const { id: projectId, deliveryId } = request.params
    return resend(deps, logoutLog, by(request), { projectId, id: deliveryId })
  })
  return oidc
}

const formOf = ({ body }: FastifyRequest) =>
  new URLSearchParams(body instanceof Buffer ? body.toString('utf8') : '')

/** Redirects a form to the same path by GET, with its fields in the query. */
function asGet(request: FastifyRequest, path: string): Answer {
  const form = formOf(request)
  return new Answer(303, undefined, { location: form.size > 0 ? `${path}?${form}` : path })
}
