import type { APIBan } from 'discord-api-types/v10'
import { json } from '../http/call.ts'
import { unknownBan } from '../http/platform-error.ts'
import type { Route } from '../http/route.ts'
import { getUser } from '../world/state.ts'
import { toUser } from './objects.ts'
import { guildParam, idParam } from './reach.ts'

export const ban: Route = {
  name: 'ban',
  method: 'GET',
  path: '/guilds/:guild/bans/:user',
  at: 'api',
  auth: 'bot',
  handle(platform, call) {
    const guild = guildParam(platform, call)
    const userId = idParam(call, 'user')
    const reason = guild.bans.get(userId)
    if (reason === undefined) throw unknownBan()
    const found: APIBan = { user: toUser(getUser(platform.world, userId)), reason }
    return json(found)
  },
}

export const bans: Route = {
  name: 'bans',
  method: 'GET',
  path: '/guilds/:guild/bans',
  at: 'api',
  auth: 'bot',
  handle(platform, call) {
    const guild = guildParam(platform, call)
    const all = [...guild.bans].map(([id, reason]) => ({ user: toUser(getUser(platform.world, id)), reason }))
    return json(all satisfies APIBan[])
  },
}
