import { mapFields, memberFields, type UserField, userFields } from '@rolecall/contract'
import type { APIGatewayBotInfo, APIGuild, APIGuildMember, APIRole, APIUser } from 'discord-api-types/v10'
import type { ChatMember, ChatRole, ChatServerInfo, ChatServerName, ChatUser } from '../chat-platform.ts'
import { ChatPlatformError } from '../chat-platform.ts'

const cdn = 'https://cdn.discordapp.com'

// Creates the error for an invalid response. The types describe the documented responses, but if Discord has a problem,
// a 200 may have any body.
const unexpected = (what: string) =>
  new ChatPlatformError('unexpected', `A response from Discord lacks ${what}.`)

/** Checks that a value is text, and removes what the database cannot store. */
export function text(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw unexpected('a text')
  return value.replaceAll('\0', '').toWellFormed()
}

/** Checks that a value is a list. */
export function list<T>(value: T[]): T[] {
  if (!Array.isArray(value)) throw unexpected('a list')
  return value
}

/** Checks that a value is a Discord ID. */
export function id(value: unknown): string {
  if (typeof value !== 'string' || !/^\d{17,20}$/.test(value)) throw unexpected('an id')
  return value
}

/**
 * Checks that a value is an object.
 *
 * @throws ChatPlatformError otherwise
 */
export function object<T extends object>(value: T, what: string): T {
  if (typeof value !== 'object' || value === null) throw unexpected(what)
  return value
}

function count(value: unknown, least: number): number {
  if (!Number.isSafeInteger(value) || Number(value) < least) throw unexpected('a number')
  return Number(value)
}

/** Checks the address of the gateway, and the limits of new sessions. */
export function toGatewayInfo(info: APIGatewayBotInfo): APIGatewayBotInfo {
  const { url, shards, session_start_limit } = object(info, 'the address of the gateway')
  const limit = object(session_start_limit, 'the limit of new sessions')
  return {
    url: text(url),
    shards: count(shards, 1),
    session_start_limit: {
      total: count(limit.total, 0),
      remaining: count(limit.remaining, 0),
      reset_after: count(limit.reset_after, 0),
      max_concurrency: count(limit.max_concurrency, 0),
    },
  }
}

/** Returns the address of an image for its hash. A hash that begins with `a_` belongs to an animated image. */
const imageUrl = (kind: 'avatars' | 'icons', ownerId: string, hash: string) =>
  `${cdn}/${kind}/${ownerId}/${encodeURIComponent(hash)}.${hash.startsWith('a_') ? 'gif' : 'png'}`

/** Converts a user of Discord, and checks every field. */
export function toUser(user: APIUser): ChatUser {
  object(user, 'a user')
  return {
    id: id(user.id),
    username: text(user.username),
    ...mapFields(userFields, (name) => readField(name, user)),
    ...('email' in user && { email: verifiedEmail(user) }),
    isBot: user.bot === true || user.system === true,
  }
}

/** Reads a field of a user, as the table of member fields defines it. */
function readField(name: UserField, user: APIUser): string | null {
  const { key, as } = memberFields[name].payload
  const value: unknown = Reflect.get(user, key)
  if (!value) return null
  return as === 'avatar' ? imageUrl('avatars', id(user.id), text(value)) : text(value)
}

/**
 * Returns the address only if it is verified. An unverified one may belong to someone else, and an application that
 * trusts it would give a stranger access.
 */
const verifiedEmail = ({ email, verified }: APIUser) => (email && verified === true ? text(email) : null)

/** The fields of a member that REST and the gateway have in common. */
type MemberLike = Pick<APIGuildMember, 'user' | 'roles' | 'nick' | 'joined_at' | 'pending'>

/** Converts a member of Discord, and checks every field. */
export function toMember(member: MemberLike): ChatMember {
  object(member, 'a member')
  const joinedAt = member.joined_at ? new Date(member.joined_at) : null
  return {
    user: toUser(member.user),
    nick: member.nick ? text(member.nick) : null,
    roleIds: [...new Set(list(member.roles).map(id))].sort(),
    joinedAt: joinedAt && Number.isNaN(joinedAt.getTime()) ? null : joinedAt,
    pending: member.pending === true,
  }
}

/** Converts the name and the icon of a guild. */
export function toServerName(guild: Pick<APIGuild, 'id' | 'name' | 'icon'>): ChatServerName {
  object(guild, 'a server')
  const serverId = id(guild.id)
  const icon = guild.icon ? imageUrl('icons', serverId, text(guild.icon)) : null
  return { id: serverId, name: text(guild.name), icon }
}

/** Converts a guild with its roles. */
export function toServer(guild: APIGuild): ChatServerInfo {
  const server = toServerName(guild)
  return {
    ...server,
    roles: list(guild.roles)
      .map(toRole)
      // Every member has the role with the ID of the server, so it is not stored.
      .filter((role) => role.id !== server.id),
  }
}

/** Converts a role. */
export function toRole(role: APIRole): ChatRole {
  object(role, 'a role')
  return {
    id: id(role.id),
    name: text(role.name),
    color: Number.isSafeInteger(role.color) ? role.color : 0,
    position: Number.isSafeInteger(role.position) ? role.position : 0,
  }
}
