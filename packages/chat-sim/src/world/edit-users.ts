import { bulkId } from './bulk.ts'
import type { SimUser } from './model.ts'
import { botId, getGuild, getUser, type WorldState } from './state.ts'

export type UserInput = Partial<Omit<SimUser, 'id'>>

/** Creates the functions that change accounts. */
export const userEdits = (state: WorldState) => {
  function addUser(input: UserInput & { id?: string; username: string }): SimUser {
    const user: SimUser = {
      id: input.id ?? state.mintId(),
      global_name: null,
      discriminator: '0',
      avatar: null,
      bot: false,
      email: `${input.username}@example.test`,
      verified: true,
      locale: 'en-US',
      mfa_enabled: false,
      public_flags: 0,
      ...input,
    }
    state.users.set(user.id, user)
    return user
  }

  /** Changes a user. As on the platform, this emits a member update in each of the user's servers. */
  function updateUser(userId: string, input: UserInput): SimUser {
    const user = { ...getUser(state, userId), ...input }
    state.users.set(userId, user)
    if (userId === botId(state)) state.changes.emit({ type: 'botUpdated', user })
    for (const guild of state.guilds.values()) {
      const member = guild.members.get(userId)
      if (member) state.changes.emit({ type: 'memberUpdated', guild, member, user })
    }
    return user
  }

  /**
   * Adds `count` generated people to a server, and returns the first and the last ID. Emits no events, because no test
   * needs 200,000 joins at once.
   */
  function bulkMembers(guildId: string, count: number, roleIds: readonly string[] = []): [string, string] {
    const guild = getGuild(state, guildId)
    const from = state.generatedUsers
    state.generatedUsers += count
    guild.members.addRange({ from, to: from + count, roleIds })
    return [bulkId(from), bulkId(from + count - 1)]
  }

  return { addUser, updateUser, bulkMembers }
}
