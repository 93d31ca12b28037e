import { mapFields, memberFields, type UserField, userFields } from '@rolecall/contract'
import type { APIGatewayBotInfo, APIGuild, APIGuildMember, APIRole, APIUser } from 'discord-api-types/v10'
import type { ChatMember, ChatRole, ChatServerInfo, ChatServerName, ChatUser } from '../chat-platform.ts'
import { ChatPlatformError } from '../chat-platform.ts'

const cdn = 'https://cdn.discordapp.com'

// Creates the error for a malformed answer. The types describe documented answers, but the platform can answer 200 with
// any body when it has a problem.
const unexpected = (what: string) =>
  new ChatPlatformError('unexpected', `A response of the chat platform lacks ${what}.`)

export function text(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw unexpected('a text')
  return value.replaceAll('\0', '').toWellFormed()
}

export function list<T>(value: T[]): T[] {
  if (!Array.isArray(value)) throw unexpected('a list')
  return value
}

export function id(value: unknown): string {
  if (typeof value !== 'string' || !/^\d{17,20}$/.test(value)) throw unexpected('an id')
  return value
}

/** @throws ChatPlatformError for anything but a record */
export function object<T extends object>(value: T, what: string): T {
  if (typeof value !== 'object' || value === null) throw unexpected(what)
  return value
}

function count(value: unknown, least: number): number {
  if (!Number.isSafeInteger(value) || Number(value) < least) throw unexpected('a number')
  return Number(value)
}

/** Validates the address of the gateway, and the number of sessions that may begin. */
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

/**
 * Returns the address of an image by the hash that the platform gives; hashes that start with `a_` are animated.
 */
const imageUrl = (kind: 'avatars' | 'icons', ownerId: string, hash: string) =>
  `${cdn}/${kind}/${ownerId}/${encodeURIComponent(hash)}.${hash.startsWith('a_') ? 'gif' : 'png'}`

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

/** Reads a field from the user object as its row in the table of member fields defines. */
function readField(name: UserField, user: APIUser): string | null {
  const { key, as } = memberFields[name].payload
  const value: unknown = Reflect.get(user, key)
  if (!value) return null
  return as === 'avatar' ? imageUrl('avatars', id(user.id), text(value)) : text(value)
}

/**
 * Returns a verified address only: an unverified one may belong to another person, and an application that trusts
 * it would admit a stranger as its owner.
 */
const verifiedEmail = ({ email, verified }: APIUser) => (email && verified === true ? text(email) : null)

/** The fields of a member that REST and gateway share. */
type MemberLike = Pick<APIGuildMember, 'user' | 'roles' | 'nick' | 'joined_at' | 'pending'>

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

export function toServerName(guild: Pick<APIGuild, 'id' | 'name' | 'icon'>): ChatServerName {
  object(guild, 'a server')
  const serverId = id(guild.id)
  const icon = guild.icon ? imageUrl('icons', serverId, text(guild.icon)) : null
  return { id: serverId, name: text(guild.name), icon }
}

export function toServer(guild: APIGuild): ChatServerInfo {
  const server = toServerName(guild)
  return {
    ...server,
    roles: list(guild.roles)
      .map(toRole)
      // The role that everyone holds has the server's own ID; it distinguishes no member.
      .filter((role) => role.id !== server.id),
  }
}

export function toRole(role: APIRole): ChatRole {
  object(role, 'a role')
  return {
    id: id(role.id),
    name: text(role.name),
    color: Number.isSafeInteger(role.color) ? role.color : 0,
    position: Number.isSafeInteger(role.position) ? role.position : 0,
  }
}
