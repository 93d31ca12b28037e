import { toDate, toGuild, toMember } from '../rest/objects.ts'
import type { SimGuild } from '../world/model.ts'
import { botId, getUser, type WorldState } from '../world/state.ts'

/** The number of members above which GUILD_CREATE says `large`, and omits offline members. */
const largeThreshold = 50

/** Returns the data of GUILD_CREATE. Without the presence intent, `members` contains only the bot. */
export function guildPayload(world: WorldState, guild: SimGuild) {
  const bot = guild.members.get(botId(world))
  return {
    ...toGuild(world, guild),
    joined_at: toDate(bot?.joined_at ?? new Date(world.clock.now()).toISOString()),
    large: guild.members.size > largeThreshold,
    member_count: guild.members.size,
    members: bot ? [toMember(guild, bot, getUser(world, bot.user_id))] : [],
    channels: [textChannel(guild)],
    threads: [],
    voice_states: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  }
}

const textChannel = (guild: SimGuild) => ({
  id: guild.channel_id,
  type: 0,
  guild_id: guild.id,
  name: 'general',
  position: 0,
  permission_overwrites: [],
  nsfw: false,
  topic: null,
  parent_id: null,
  last_message_id: null,
  rate_limit_per_user: 0,
  flags: 0,
})
