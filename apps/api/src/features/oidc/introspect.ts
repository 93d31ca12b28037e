import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { claimsInScope, claimsOf } from '#responses/oidc-claims'
import { memberOfToken } from './token-session.ts'
import { orProtocolError } from './unavailable.ts'

type Middleware = Parameters<typeof Provider.prototype.use>[0]

/**
 * Adds the member and their current roles to the library's introspection response, within the scopes of the token. If
 * the session has ended, the response becomes `{ active: false }`.
 */
export const introspectLive =
  (deps: Parameters<typeof memberOfToken>[0]): Middleware =>
  async (ctx, next) => {
    await next()
    const { oidc, body } = ctx as KoaContextWithOIDC
    if (oidc?.route !== 'introspection' || Object(body).active !== true) return
    const token = oidc.entities.AccessToken ?? oidc.entities.RefreshToken
    const member =
      token?.grantId === undefined ? undefined : await orProtocolError(memberOfToken(deps, token.grantId))
    if (!member) {
      ctx.body = { active: false }
      return
    }
    const claims = claimsOf(member, { withRoles: true })
    ctx.body = {
      ...claimsInScope(claims, token?.scope ?? ''),
      ...Object(body),
      username: member.member.username,
    }
  }
