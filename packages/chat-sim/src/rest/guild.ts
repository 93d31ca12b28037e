import { json } from '../http/call.ts'
import { unknownGuild } from '../http/platform-error.ts'
import type { Route } from '../http/route.ts'
import { guildCounts, toGuild } from './objects.ts'
import { booleanQuery, guildParam } from './reach.ts'

/** The route that returns a server. */
export const guild: Route = {
  name: 'guild',
  method: 'GET',
  path: '/guilds/:guild',
  at: 'api',
  auth: 'bot',
  handle(platform, call) {
    const found = guildParam(platform, call, unknownGuild)
    const counts = booleanQuery(call, 'with_counts') ? guildCounts(found) : {}
    return json({ ...toGuild(platform.world, found), ...counts })
  },
}
