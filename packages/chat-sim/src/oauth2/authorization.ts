import { json } from '../http/call.ts'
import { unauthorized } from '../http/platform-error.ts'
import type { Route } from '../http/route.ts'
import { toDate, toUser } from '../rest/objects.ts'
import { getUser } from '../world/state.ts'

/** What a token is good for. The e-mail address is not in it, whatever the scopes. */
export const oauthMe: Route = {
  name: 'oauthMe',
  method: 'GET',
  path: '/oauth2/@me',
  at: 'api',
  auth: 'user',
  handle({ world }, { caller }) {
    if (caller.kind !== 'bearer') throw unauthorized()
    const { userId, scopes, expiresAt } = caller.grant
    const { clientId, name } = world.application
    const application = {
      id: clientId,
      name,
      icon: null,
      description: '',
      bot_public: true,
      bot_require_code_grant: false,
      verify_key: '0'.repeat(64),
    }
    const answer = { application, scopes, expires: toDate(new Date(expiresAt).toISOString()) }
    return json(scopes.includes('identify') ? { ...answer, user: toUser(getUser(world, userId)) } : answer)
  },
}
