import { GatewayDispatchEvents, type GatewayDispatchPayload } from 'discord-api-types/v10'
import type { ChatEvent } from '../../chat-gateway.ts'
import { id, toMember, toRole, toServer, toUser } from '../objects.ts'

/**
 * Converts a message of the gateway to an event. Returns undefined if the message does not matter to this service.
 *
 * @throws ChatPlatformError if the message is invalid
 */
export function toChatEvent(payload: GatewayDispatchPayload): ChatEvent | undefined {
  switch (payload.t) {
    case GatewayDispatchEvents.GuildCreate: {
      const serverId = id(payload.d.id)
      // During an outage, the message contains only the ID of the server.
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
      // Every member has the role with the ID of the server, so it is not stored.
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
