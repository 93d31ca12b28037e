import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { claimsInScope, claimsOf } from '#responses/oidc-claims'
import { memberOfToken } from './token-session.ts'
import { orProtocolError } from './unavailable.ts'

type Middleware = Parameters<typeof Provider.prototype.use>[0]

/**
 * Creates the middleware that adds the member and their current roles to oidc-provider's introspection response, within
 * the scopes of the token. If the session has ended, the response becomes `{ active: false }`.
 *
 * @throws Unavailable if the database cannot be reached, or if the roles are too old and Discord does not respond
 */
export const introspectionMiddleware =
  (deps: Parameters<typeof memberOfToken>[0]): Middleware =>
  async (ctx, next) => {
    await next()
    const { oidc, body } = ctx as KoaContextWithOIDC
    if (oidc?.route !== 'introspection' || Object(body).active !== true) return
    const token = oidc.entities.AccessToken ?? oidc.entities.RefreshToken
    // The grant ID of a token is its session ID.
    const current =
      token?.grantId === undefined ? undefined : await orProtocolError(memberOfToken(deps, token.grantId))
    if (!current) {
      ctx.body = { active: false }
      return
    }
    const claims = claimsOf(current, { withRoles: true })
    // The fields of oidc-provider override claims of the same name, and `username` overrides both.
    ctx.body = {
      ...claimsInScope(claims, token?.scope ?? ''),
      ...Object(body),
      username: current.member.username,
    }
  }
