import type { GatewayGuildMemberRemoveDispatchData } from 'discord-api-types/v10'
import { toGuild, toMember, toUser } from '../rest/objects.ts'
import { toOwnUser } from '../rest/user.ts'
import type { Change } from '../world/changes.ts'
import type { SimGuild } from '../world/model.ts'
import { botId, hasBot, type WorldState } from '../world/state.ts'
import { guildPayload } from './guild-payload.ts'
import { intent } from './protocol.ts'

/** An event for the sessions of the gateway. */
export interface GatewayEvent {
  type: string
  /** Only sessions with this intent receive the event. 0 means all sessions. */
  intent: number
  guildId: string | undefined
  /** Creates the data. Called only if a session receives the event. */
  data: () => unknown
}

/** Converts a change in the world to an event of the gateway. Returns undefined if the bot does not receive it. */
export function toEvent(world: WorldState, change: Change): GatewayEvent | undefined {
  if (change.type === 'botUpdated') {
    return { type: 'USER_UPDATE', intent: 0, guildId: undefined, data: () => toOwnUser(change.user, true) }
  }
  const { guild } = change
  const isAboutReach = change.type === 'botRemoved' || change.type === 'guildUnavailable'
  if (!isAboutReach && (!hasBot(world, guild) || guild.unavailable)) return undefined
  return { guildId: guild.id, ...inGuild(world, guild, change) }
}

type GuildChange = Exclude<Change, { type: 'botUpdated' }>

function inGuild(world: WorldState, guild: SimGuild, change: GuildChange): Omit<GatewayEvent, 'guildId'> {
  const guild_id = guild.id
  switch (change.type) {
    case 'memberAdded':
    case 'memberUpdated': {
      const type = change.type === 'memberAdded' ? 'GUILD_MEMBER_ADD' : 'GUILD_MEMBER_UPDATE'
      const { member, user } = change
      // A bot receives events about itself without the member intent.
      const needed = user.id === botId(world) ? intent.guilds : intent.guildMembers
      return { type, intent: needed, data: () => ({ ...toMember(guild, member, user), guild_id }) }
    }
    case 'memberRemoved': {
      const removed = (): GatewayGuildMemberRemoveDispatchData => ({ guild_id, user: toUser(change.user) })
      return { type: 'GUILD_MEMBER_REMOVE', intent: intent.guildMembers, data: removed }
    }
    case 'banAdded':
    case 'banRemoved': {
      const type = change.type === 'banAdded' ? 'GUILD_BAN_ADD' : 'GUILD_BAN_REMOVE'
      return { type, intent: intent.guildModeration, data: () => ({ guild_id, user: toUser(change.user) }) }
    }
    case 'roleCreated':
    case 'roleUpdated': {
      const type = change.type === 'roleCreated' ? 'GUILD_ROLE_CREATE' : 'GUILD_ROLE_UPDATE'
      return { type, intent: intent.guilds, data: () => ({ guild_id, role: change.role }) }
    }
    case 'roleDeleted':
      return {
        type: 'GUILD_ROLE_DELETE',
        intent: intent.guilds,
        data: () => ({ guild_id, role_id: change.roleId }),
      }
    case 'guildUpdated':
      return { type: 'GUILD_UPDATE', intent: intent.guilds, data: () => toGuild(world, guild) }
    case 'guildAvailable':
      return { type: 'GUILD_CREATE', intent: intent.guilds, data: () => guildPayload(world, guild) }
    case 'guildUnavailable':
      return {
        type: 'GUILD_DELETE',
        intent: intent.guilds,
        data: () => ({ id: guild_id, unavailable: true }),
      }
    case 'botRemoved':
      // Omits `unavailable`. By that, a bot distinguishes its removal from an outage.
      return { type: 'GUILD_DELETE', intent: intent.guilds, data: () => ({ id: guild_id }) }
  }
}
