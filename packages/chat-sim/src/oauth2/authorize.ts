import { type Call, form, type Reply, redirect } from '../http/call.ts'
import type { Route } from '../http/route.ts'
import { refuseCrossSite } from '../http/same-origin.ts'
import { consentPage } from '../pages/consent.ts'
import { loginPage } from '../pages/login.ts'
import { refusalPage } from '../pages/refusal.ts'
import type { Platform } from '../platform.ts'
import type { SimUser } from '../world/model.ts'
import { findUser } from '../world/state.ts'
import { type AuthorizeRequest, readAuthorizeRequest } from './authorize-request.ts'
import { signedInUser } from './login-cookie.ts'

/** The route of the authorize screen, on which a person chooses a user and agrees to the scopes. */
export const authorizeScreen: Route = {
  name: 'authorize',
  method: 'GET',
  path: '/oauth2/authorize',
  at: 'both',
  auth: 'none',
  handle(platform, call) {
    const request = readAuthorizeRequest(platform.world.application, call)
    if (typeof request === 'string') return refusalPage(request)
    const headless = headlessAnswer(platform, call, request)
    if (headless) return headless

    const user = signedInUser(platform, call)
    if (!user) return loginPage(platform, call)
    const skips = request.prompt === 'none' && platform.grants.hasApproved(user.id, request.scopes)
    return skips ? approve(platform, request, user) : consentPage(platform, call, request, user)
  },
}

/** The route that receives the decision on that screen. */
export const authorizeDecision: Route = {
  name: 'authorize',
  method: 'POST',
  path: '/oauth2/authorize',
  at: 'both',
  auth: 'none',
  handle(platform, call) {
    refuseCrossSite(call)
    const request = readAuthorizeRequest(platform.world.application, call)
    if (typeof request === 'string') return refusalPage(request)
    const user = signedInUser(platform, call)
    const body = form(call)
    // Another tab may have changed the signed-in user. Shows the screen again, so that the right user decides.
    if (!user || user.id !== body.get('user')) return redirect(`${call.path}?${call.query}`, 303)
    return body.get('decision') === 'authorize' ? approve(platform, request, user) : cancel(platform, request)
  },
}

function approve(platform: Platform, request: AuthorizeRequest, user: SimUser): Reply {
  const code = platform.grants.issueCode({
    userId: user.id,
    scopes: request.scopes,
    redirectUri: request.namedRedirectUri,
    challenge: request.challenge,
    challengeMethod: request.challengeMethod,
    nonce: request.nonce,
  })
  return sendBack(platform, request, { code })
}

const cancel = (platform: Platform, request: AuthorizeRequest): Reply =>
  sendBack(platform, request, {
    error: 'access_denied',
    error_description: 'The resource owner or authorization server denied the request',
  })

/**
 * Redirects to the client. The response names its issuer (RFC 9207), so a client with several issuers cannot confuse
 * them.
 */
function sendBack(
  { quirks, options }: Platform,
  request: AuthorizeRequest,
  answer: Record<string, string>,
): Reply {
  const params = new URLSearchParams(answer)
  if (request.state !== undefined) params.set('state', request.state)
  if (quirks.iss !== 'absent') params.set('iss', quirks.iss === 'exact' ? options.issuer : quirks.iss)
  const { redirectUri } = request
  return redirect(`${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${params}`)
}

/** Handles `login_as=<id>&auto=1` and `auto=cancel`, which skip the pages. The platform has no such parameters. */
function headlessAnswer(platform: Platform, { query }: Call, request: AuthorizeRequest): Reply | undefined {
  const auto = query.get('auto')
  if (!platform.options.headlessLogin || !auto) return undefined
  const user = findUser(platform.world, query.get('login_as') ?? '')
  if (!user || user.bot) return refusalPage('login_as does not name a person who can sign in.')
  return auto === 'cancel' ? cancel(platform, request) : approve(platform, request, user)
}
