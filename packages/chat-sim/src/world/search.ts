import type { SimGuild, SimMember } from './model.ts'
import { findUser, type WorldState } from './state.ts'

/** Finds members by the start of their username or nickname. Finds generated people only by their username. */
export function searchMembers(world: WorldState, guild: SimGuild, text: string, limit: number): SimMember[] {
  const prefix = text.toLowerCase()
  const found: SimMember[] = []
  const matches = (name: string | null | undefined) => name?.toLowerCase().startsWith(prefix) ?? false

  for (const member of guild.members.written()) {
    if (found.length >= limit) return found
    const user = findUser(world, member.user_id)
    if (matches(user?.username) || matches(user?.global_name) || matches(member.nick)) found.push(member)
  }
  for (const member of guild.members.generated(prefix)) {
    if (found.length >= limit) return found
    found.push(member)
  }
  return found
}
