import { GatewayDispatchEvents, type GatewayDispatchPayload } from 'discord-api-types/v10'
import type { ChatEvent } from '../../chat-gateway.ts'
import { id, toMember, toRole, toServer, toUser } from '../objects.ts'

/**
 * Translates a payload into an event; undefined if it does not concern this service.
 * @throws ChatPlatformError if it makes no sense
 */
export function toChatEvent(payload: GatewayDispatchPayload): ChatEvent | undefined {
  switch (payload.t) {
    case GatewayDispatchEvents.GuildCreate: {
      const serverId = id(payload.d.id)
      // In an outage a server may arrive with its ID alone.
      if (payload.d.unavailable) return { kind: 'serverUnavailable', serverId }
      return { kind: 'serverAvailable', serverId, server: toServer(payload.d) }
    }
    case GatewayDispatchEvents.GuildUpdate:
      return { kind: 'serverUpdated', serverId: id(payload.d.id), server: toServer(payload.d) }
    case GatewayDispatchEvents.GuildDelete:
      return { kind: payload.d.unavailable ? 'serverUnavailable' : 'serverLost', serverId: id(payload.d.id) }
    case GatewayDispatchEvents.GuildRoleCreate:
    case GatewayDispatchEvents.GuildRoleUpdate: {
      const [serverId, role] = [id(payload.d.guild_id), toRole(payload.d.role)]
      // The role that everyone holds has the server's own ID; it distinguishes no member.
      return role.id === serverId ? undefined : { kind: 'roleChanged', serverId, role }
    }
    case GatewayDispatchEvents.GuildRoleDelete:
      return { kind: 'roleRemoved', serverId: id(payload.d.guild_id), roleId: id(payload.d.role_id) }
    case GatewayDispatchEvents.GuildMemberAdd:
    case GatewayDispatchEvents.GuildMemberUpdate:
      return { kind: 'memberChanged', serverId: id(payload.d.guild_id), member: toMember(payload.d) }
    case GatewayDispatchEvents.GuildMemberRemove:
      return { kind: 'memberRemoved', serverId: id(payload.d.guild_id), user: toUser(payload.d.user) }
    case GatewayDispatchEvents.GuildBanAdd:
      return { kind: 'memberBanned', serverId: id(payload.d.guild_id), user: toUser(payload.d.user) }
    default:
      return undefined
  }
}
