import { json } from '../http/call.ts'
import { missingAccess, unknownMember } from '../http/platform-error.ts'
import type { Route } from '../http/route.ts'
import { getUser } from '../world/state.ts'
import { toMember } from './objects.ts'
import { guildParam, numberQuery, snowflakeQuery, userParam } from './reach.ts'

/** The route that returns one member. Unlike the list, it needs no privileged intent. */
export const member: Route = {
  name: 'member',
  method: 'GET',
  path: '/guilds/:guild/members/:user',
  at: 'api',
  auth: 'bot',
  handle(platform, call) {
    const guild = guildParam(platform, call)
    const user = userParam(platform, call)
    const found = guild.members.get(user.id)
    if (!found) throw unknownMember()
    return json(toMember(guild, found, user))
  },
}

/** The route that lists the members of a server in pages. It needs the privileged member intent. */
export const members: Route = {
  name: 'members',
  method: 'GET',
  path: '/guilds/:guild/members',
  at: 'api',
  auth: 'bot',
  handle(platform, call) {
    const guild = guildParam(platform, call)
    if (!platform.world.application.memberIntent) throw missingAccess()
    const limit = numberQuery(call, 'limit', { min: 1, max: 1_000, fallback: 1 })
    const page = guild.members.page(snowflakeQuery(call, 'after'), limit)
    return json(page.map((each) => toMember(guild, each, getUser(platform.world, each.user_id))))
  },
}
