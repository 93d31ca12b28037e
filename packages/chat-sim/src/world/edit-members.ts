import type { SimGuild, SimMember } from './model.ts'
import { botId, getGuild, getUser, type WorldState } from './state.ts'

export type MemberInput = Partial<Omit<SimMember, 'user_id'>>

/** Bit 0 of the member flags: the member has left and returned. */
const rejoined = 1

/** Creates the functions that change the members of servers. */
export const memberEdits = (state: WorldState) => {
  const departed = new Set<string>()

  function getMember(guild: SimGuild, userId: string): SimMember {
    const member = guild.members.get(userId)
    if (!member) throw new Error(`User ${userId} is not in guild ${guild.id}`)
    return member
  }

  function updateMember(guildId: string, userId: string, input: MemberInput): SimMember {
    const guild = getGuild(state, guildId)
    const member = { ...getMember(guild, userId), ...input }
    if (input.roles) assertRoles(guild, input.roles)
    guild.members.put(member)
    state.changes.emit({ type: 'memberUpdated', guild, member, user: getUser(state, userId) })
    return member
  }

  /** Adds a member. A banned user must be unbanned first, as on the platform. Adding a member twice changes nothing. */
  function addMember(guildId: string, userId: string, input: MemberInput = {}): SimMember {
    const guild = getGuild(state, guildId)
    const user = getUser(state, userId)
    if (guild.bans.has(userId)) throw new Error(`User ${userId} is banned from guild ${guildId}`)
    const present = guild.members.get(userId)
    if (present) return present
    if (input.roles) assertRoles(guild, input.roles)
    const member: SimMember = {
      user_id: userId,
      nick: null,
      avatar: null,
      roles: [],
      joined_at: new Date(state.clock.now()).toISOString(),
      pending: false,
      flags: departed.has(`${guildId}/${userId}`) ? rejoined : 0,
      premium_since: null,
      communication_disabled_until: null,
      ...input,
    }
    guild.members.put(member)
    if (userId === botId(state)) state.changes.emit({ type: 'guildAvailable', guild })
    else state.changes.emit({ type: 'memberAdded', guild, member, user })
    return member
  }

  /** Removes a member. For a bot, leaving and being kicked look the same. */
  function removeMember(guildId: string, userId: string): boolean {
    const guild = getGuild(state, guildId)
    if (!guild.members.remove(userId)) return false
    departed.add(`${guildId}/${userId}`)
    if (userId === botId(state)) state.changes.emit({ type: 'botRemoved', guild })
    else state.changes.emit({ type: 'memberRemoved', guild, user: getUser(state, userId) })
    return true
  }

  function ban(guildId: string, userId: string, reason: string | null = null): void {
    const guild = getGuild(state, guildId)
    const user = getUser(state, userId)
    if (guild.bans.has(userId)) return
    guild.bans.set(userId, reason)
    // The platform sends the ban first and the departure after it.
    state.changes.emit({ type: 'banAdded', guild, user })
    removeMember(guildId, userId)
  }

  function unban(guildId: string, userId: string): void {
    const guild = getGuild(state, guildId)
    if (guild.bans.delete(userId)) {
      state.changes.emit({ type: 'banRemoved', guild, user: getUser(state, userId) })
    }
  }

  return {
    addMember,
    removeMember,
    updateMember,
    ban,
    unban,
    setRoles: (guildId: string, userId: string, roles: readonly string[]) =>
      updateMember(guildId, userId, { roles: [...new Set(roles)] }),
    setNick: (guildId: string, userId: string, nick: string | null) =>
      updateMember(guildId, userId, { nick }),
    setPending: (guildId: string, userId: string, pending: boolean) =>
      updateMember(guildId, userId, { pending }),
    kickBot: (guildId: string) => removeMember(guildId, botId(state)),
    inviteBot: (guildId: string) => addMember(guildId, botId(state)),
  }
}

function assertRoles(guild: SimGuild, roleIds: readonly string[]): void {
  for (const id of roleIds) {
    if (!guild.roles.has(id)) throw new Error(`Guild ${guild.id} has no role ${id}`)
  }
}
