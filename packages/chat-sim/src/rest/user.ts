import type { APIUser, RESTAPIPartialCurrentUserGuild } from 'discord-api-types/v10'
import { type Call, json } from '../http/call.ts'
import { missingScope, unauthorized } from '../http/platform-error.ts'
import type { Route } from '../http/route.ts'
import type { Platform } from '../platform.ts'
import type { SimGuild, SimUser } from '../world/model.ts'
import { compareIds } from '../world/snowflake.ts'
import { botId, getUser } from '../world/state.ts'
import { guildCounts, permissionsOf, toUser } from './objects.ts'
import { booleanQuery, numberQuery, snowflakeQuery, userParam } from './reach.ts'

/** Returns the user of the token, and whether the token may read data of a scope. A bot may read everything. */
function callingUser(
  { world }: Platform,
  { caller }: Call,
): { user: SimUser; may: (scope: string) => boolean } {
  if (caller.kind === 'bot') return { user: getUser(world, botId(world)), may: () => true }
  if (caller.kind !== 'bearer') throw unauthorized()
  const { userId, scopes } = caller.grant
  return { user: getUser(world, userId), may: (scope) => scopes.includes(scope) }
}

/** Returns a user as they see themselves. `email` requires its scope, and is included even if it is not verified. */
export function toOwnUser(user: SimUser, withEmail: boolean): APIUser {
  const own = {
    ...toUser(user),
    banner: null,
    accent_color: null,
    avatar_decoration_data: null,
    collectibles: null,
    mfa_enabled: user.mfa_enabled,
    locale: user.locale as NonNullable<APIUser['locale']>,
    premium_type: 0,
  }
  return withEmail ? { ...own, email: user.email, verified: user.verified } : own
}

/** The route that returns the user of the token. It needs the scope `identify`. */
export const me: Route = {
  name: 'me',
  method: 'GET',
  path: '/users/@me',
  at: 'api',
  auth: 'botOrUser',
  handle(platform, call) {
    const { user, may } = callingUser(platform, call)
    if (!may('identify')) throw missingScope()
    return json(toOwnUser(user, may('email')))
  },
}

/** The route that lists the servers of the user of the token. */
export const myGuilds: Route = {
  name: 'myGuilds',
  method: 'GET',
  path: '/users/@me/guilds',
  at: 'api',
  auth: 'botOrUser',
  handle(platform, call) {
    const { user, may } = callingUser(platform, call)
    if (!may('guilds')) throw missingScope()
    const limit = numberQuery(call, 'limit', { min: 1, max: 200, fallback: 200 })
    const after = snowflakeQuery(call, 'after')
    const withCounts = booleanQuery(call, 'with_counts')
    const mine = [...platform.world.guilds.values()]
      .filter((guild) => compareIds(guild.id, after) > 0 && guild.members.get(user.id))
      .sort((a, b) => compareIds(a.id, b.id))
      .slice(0, limit)
    return json(
      mine.map((guild) => ({ ...toPartialGuild(guild, user), ...(withCounts ? guildCounts(guild) : {}) })),
    )
  },
}

function toPartialGuild(guild: SimGuild, user: SimUser): RESTAPIPartialCurrentUserGuild {
  const member = guild.members.get(user.id)
  return {
    id: guild.id,
    name: guild.name,
    icon: guild.icon,
    banner: null,
    owner: guild.owner_id === user.id,
    permissions: member ? permissionsOf(guild, member) : '0',
    features: [],
  }
}

export const user: Route = {
  name: 'user',
  method: 'GET',
  path: '/users/:user',
  at: 'api',
  auth: 'bot',
  handle: (platform, call) => json(toUser(userParam(platform, call))),
}
