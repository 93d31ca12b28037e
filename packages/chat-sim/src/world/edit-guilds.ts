import type { APIRole } from 'discord-api-types/v10'
import { createMembers } from './members.ts'
import type { SimGuild, SimWebhook } from './model.ts'
import { botId, getGuild, type WorldState } from './state.ts'

export type RoleInput = Partial<Omit<APIRole, 'id' | 'colors'>>
export type GuildInput = Partial<
  Pick<SimGuild, 'id' | 'channel_id' | 'name' | 'icon' | 'description' | 'owner_id'>
>

/** The permissions that everyone has in a new server: to see channels, to send messages, and similar. */
const everyonePermissions = '2248473465835073'

/** Creates the functions that change servers and their roles. */
export const guildEdits = (state: WorldState) => {
  function getRole(guild: SimGuild, roleId: string): APIRole {
    const role = guild.roles.get(roleId)
    if (!role) throw new Error(`Guild ${guild.id} has no role ${roleId}`)
    return role
  }

  /** Adds a server with the bot in it, and with its `@everyone` role, which has the ID of the server. */
  function addGuild(input: GuildInput = {}): SimGuild {
    const id = input.id ?? state.mintId()
    const guild: SimGuild = {
      id,
      name: 'New server',
      icon: null,
      description: null,
      owner_id: botId(state),
      channel_id: state.mintId(),
      roles: new Map([
        [id, toRole(id, { name: '@everyone', permissions: everyonePermissions, position: 0 })],
      ]),
      members: createMembers(),
      bans: new Map(),
      unavailable: false,
      ...input,
    }
    state.guilds.set(id, guild)
    return guild
  }

  function updateGuild(guildId: string, input: Omit<GuildInput, 'id'>): SimGuild {
    const guild = Object.assign(getGuild(state, guildId), input)
    state.changes.emit({ type: 'guildUpdated', guild })
    return guild
  }

  function setGuildUnavailable(guildId: string, unavailable: boolean): void {
    const guild = getGuild(state, guildId)
    if (guild.unavailable === unavailable) return
    guild.unavailable = unavailable
    state.changes.emit({ type: unavailable ? 'guildUnavailable' : 'guildAvailable', guild })
  }

  function createRole(guildId: string, input: RoleInput & { id?: string } = {}): APIRole {
    const guild = getGuild(state, guildId)
    const role = toRole(input.id ?? state.mintId(), { position: 1, ...input })
    guild.roles.set(role.id, role)
    state.changes.emit({ type: 'roleCreated', guild, role })
    return role
  }

  function updateRole(guildId: string, roleId: string, input: RoleInput): APIRole {
    const guild = getGuild(state, guildId)
    const role = toRole(roleId, { ...getRole(guild, roleId), ...input })
    guild.roles.set(roleId, role)
    state.changes.emit({ type: 'roleUpdated', guild, role })
    return role
  }

  /** Deletes a role. Its members lose it at once. As on the platform, there is no event for each member. */
  function deleteRole(guildId: string, roleId: string): void {
    const guild = getGuild(state, guildId)
    if (roleId === guildId) throw new Error('The @everyone role cannot be deleted')
    getRole(guild, roleId)
    guild.roles.delete(roleId)
    state.changes.emit({ type: 'roleDeleted', guild, roleId })
  }

  function addWebhook(
    guildId: string,
    input: Partial<Pick<SimWebhook, 'id' | 'token' | 'name'>> = {},
  ): SimWebhook {
    const guild = getGuild(state, guildId)
    const id = input.id ?? state.mintId()
    const token = input.token ?? `sim_webhook-${id}`.padEnd(68, 'x')
    const webhook: SimWebhook = {
      id,
      token,
      name: input.name ?? 'Notices',
      guild_id: guildId,
      channel_id: guild.channel_id,
    }
    state.webhooks.set(id, webhook)
    return webhook
  }

  return {
    addGuild,
    updateGuild,
    setGuildUnavailable,
    createRole,
    updateRole,
    deleteRole,
    addWebhook,
    deleteWebhook: (id: string) => state.webhooks.delete(id),
  }
}

function toRole(id: string, input: RoleInput): APIRole {
  const color = input.color ?? 0
  return {
    id,
    name: input.name ?? 'new role',
    permissions: input.permissions ?? '0',
    position: input.position ?? 1,
    color,
    // The platform also sends `color`, the older field, with the primary color.
    colors: { primary_color: color, secondary_color: null, tertiary_color: null },
    hoist: input.hoist ?? false,
    managed: input.managed ?? false,
    mentionable: input.mentionable ?? false,
    icon: input.icon ?? null,
    unicode_emoji: input.unicode_emoji ?? null,
    flags: input.flags ?? (0 as APIRole['flags']),
    ...(input.tags ? { tags: input.tags } : {}),
  }
}
