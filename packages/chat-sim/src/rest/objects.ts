import type { APIGuild, APIGuildMember, APIRole, APIUser } from 'discord-api-types/v10'
import type { SimGuild, SimMember, SimUser } from '../world/model.ts'
import { botId, type WorldState } from '../world/state.ts'

/** Converts a date to the platform's format, which has six decimals of a second and a numeric offset. */
export const toDate = (iso: string): string => `${iso.slice(0, 23)}000+00:00`

/** Returns the public data of a user, without the email address and the settings. */
export function toUser(user: SimUser): APIUser {
  const { bot, email: _email, verified: _verified, locale: _locale, mfa_enabled: _mfa, ...profile } = user
  const seen = { ...profile, flags: user.public_flags, primary_guild: null }
  return bot ? { ...seen, bot } : seen
}

/**
 * Returns the roles of a member that still exist. Filtering here is cheaper than removing a deleted role from everyone.
 */
const livingRoles = (guild: SimGuild, member: SimMember): string[] =>
  member.roles.filter((id) => guild.roles.has(id))

export const toMember = (guild: SimGuild, member: SimMember, user: SimUser): APIGuildMember => ({
  avatar: member.avatar,
  banner: null,
  communication_disabled_until: member.communication_disabled_until,
  flags: member.flags,
  joined_at: toDate(member.joined_at),
  nick: member.nick,
  pending: member.pending,
  premium_since: member.premium_since,
  roles: livingRoles(guild, member),
  user: toUser(user),
  mute: false,
  deaf: false,
})

const toRoles = (guild: SimGuild): APIRole[] => [...guild.roles.values()]

/** Returns the combined permissions of the member's roles, as a decimal string of bits. */
export function permissionsOf(guild: SimGuild, member: SimMember): string {
  const everyone = guild.roles.get(guild.id)?.permissions ?? '0'
  const granted = livingRoles(guild, member).map((id) => guild.roles.get(id)?.permissions ?? '0')
  return [everyone, ...granted].reduce((all, bits) => all | BigInt(bits), 0n).toString()
}

/** A guild as the platform sends it, with two fields that are missing in the types of the library. */
type WireGuild = APIGuild & { home_header: null; nsfw: boolean }

export const toGuild = (world: WorldState, guild: SimGuild): WireGuild => ({
  id: guild.id,
  name: guild.name,
  icon: guild.icon,
  description: guild.description,
  home_header: null,
  splash: null,
  discovery_splash: null,
  features: [],
  banner: null,
  owner_id: guild.owner_id,
  application_id: null,
  region: 'deprecated',
  afk_channel_id: null,
  afk_timeout: 300,
  system_channel_id: guild.channel_id,
  system_channel_flags: 0 as APIGuild['system_channel_flags'],
  widget_enabled: false,
  widget_channel_id: null,
  verification_level: 1,
  roles: toRoles(guild),
  default_message_notifications: 1,
  mfa_level: 0,
  explicit_content_filter: 2,
  max_presences: null,
  max_members: 500_000,
  max_stage_video_channel_users: 50,
  max_video_channel_users: 25,
  vanity_url_code: null,
  premium_tier: 0,
  premium_subscription_count: 0,
  preferred_locale: 'en-US' as APIGuild['preferred_locale'],
  rules_channel_id: null,
  safety_alerts_channel_id: null,
  public_updates_channel_id: null,
  premium_progress_bar_enabled: false,
  nsfw: false,
  nsfw_level: 0,
  emojis: [],
  stickers: [],
  incidents_data: null,
  hub_type: null,
  ...(guild.owner_id === botId(world) ? { owner: true } : {}),
})

/** Returns the numbers of members. On the platform they are estimates, and here they are exact. */
export const guildCounts = (guild: SimGuild) => ({
  approximate_member_count: guild.members.size,
  approximate_presence_count: Math.ceil(guild.members.size / 5),
})
