import { form, json } from '../http/call.ts'
import type { Route } from '../http/route.ts'
import { refuseClient } from './client.ts'

/** RFC 7009: an unknown token is no error. Any token of a user ends all of them for the application. */
export const revoke: Route = {
  name: 'revoke',
  method: 'POST',
  path: '/oauth2/token/revoke',
  at: 'api',
  auth: 'none',
  handle({ world, grants }, call) {
    const body = form(call)
    const refusal = refuseClient(world.application, call, body)
    if (refusal) return refusal
    const token = body.get('token') ?? ''
    const grant = grants.findByAccessToken(token) ?? grants.findByRefreshToken(token)
    if (grant) grants.revokeUser(grant.userId)
    return json({})
  },
}
