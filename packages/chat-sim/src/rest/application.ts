import { json } from '../http/call.ts'
import type { Route } from '../http/route.ts'
import type { SimApplication } from '../world/model.ts'
import { botId, getUser } from '../world/state.ts'
import { toUser } from './objects.ts'

/** The flag (bit 15) of an application with the member intent that is too small to need a review by the platform. */
const memberIntentLimited = 1 << 15

export const applicationFlags = ({ memberIntent }: SimApplication): number =>
  memberIntent ? memberIntentLimited : 0

/** The route that returns the application of the bot. */
export const application: Route = {
  name: 'application',
  method: 'GET',
  path: '/applications/@me',
  at: 'api',
  auth: 'bot',
  handle({ world }) {
    const app = world.application
    return json({
      id: app.clientId,
      name: app.name,
      icon: null,
      description: '',
      summary: '',
      type: null,
      bot: toUser(getUser(world, botId(world))),
      bot_public: true,
      bot_require_code_grant: false,
      verify_key: '0'.repeat(64),
      flags: applicationFlags(app),
      redirect_uris: app.redirectUris,
      interactions_endpoint_url: null,
      role_connections_verification_url: null,
      approximate_guild_count: [...world.guilds.values()].filter((guild) => guild.members.get(app.clientId))
        .length,
      integration_types_config: {},
      tags: [],
      team: null,
    })
  },
}
