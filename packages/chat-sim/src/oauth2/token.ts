import { form, header, json, type Reply } from '../http/call.ts'
import type { Route } from '../http/route.ts'
import type { Platform } from '../platform.ts'
import { oauthError, refuseClient } from './client.ts'
import { type Grant, tokenSec } from './grants.ts'
import { idToken } from './id-token.ts'
import { refuseVerifier } from './pkce.ts'

/** The token endpoint: exchanges codes, and refreshes tokens. */
export const token: Route = {
  name: 'token',
  method: 'POST',
  path: '/oauth2/token',
  at: 'api',
  auth: 'none',
  handle(platform, call) {
    // Parses only forms. So a JSON body has no grant type, and is refused like on the platform.
    const isForm = header(call, 'content-type').startsWith('application/x-www-form-urlencoded')
    const body = isForm ? form(call) : new URLSearchParams()
    if (body.get('grant_type') !== 'authorization_code') {
      return oauthError('unsupported_grant_type', 'Grant type None is not supported')
    }
    const refusal = refuseClient(platform.world.application, call, body)
    return refusal ?? redeemCode(platform, body)
  },
}

function redeemCode(platform: Platform, body: URLSearchParams): Reply {
  const code = platform.grants.findCode(body.get('code') ?? '')
  if (!code) return oauthError('invalid_grant', 'Invalid "code" in request.')
  const redirectUri = body.get('redirect_uri')
  if (redirectUri !== null && !platform.world.application.redirectUris.includes(redirectUri)) {
    return oauthError('invalid_request', 'Invalid "redirect_uri" in request.')
  }
  if ((redirectUri ?? undefined) !== code.redirectUri) {
    return oauthError('invalid_grant', 'Invalid "code" in request.')
  }
  const refusal = refuseVerifier(code, body.get('code_verifier'))
  if (refusal) return refusal

  platform.grants.spendCode(code.code)
  const grant = platform.grants.issue(code.userId, platform.quirks.scopes ?? code.scopes)
  return tokenReply(platform, grant, code.nonce)
}

function tokenReply(platform: Platform, grant: Grant, nonce: string | undefined): Reply {
  const { grants, quirks } = platform
  if (quirks.tokenDiesAtOnce) grants.killAccessToken(grant)
  const answer = {
    token_type: 'Bearer',
    access_token: grant.accessToken,
    expires_in: tokenSec,
    refresh_token: grant.refreshToken,
    scope: grant.scopes.join(' '),
  }
  const wantsIdToken = quirks.idToken || grant.scopes.includes('openid')
  return json(wantsIdToken ? { ...answer, id_token: idToken(platform, grant, nonce) } : answer, 200, {
    'cache-control': 'no-store',
  })
}
