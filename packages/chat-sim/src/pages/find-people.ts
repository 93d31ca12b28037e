import type { SimUser } from '../world/model.ts'
import { searchMembers } from '../world/search.ts'
import { findUser } from '../world/state.ts'
import type { World } from '../world/world.ts'

/** Finds people by a text: first named ones, by any of their names, and then generated ones, by their username. */
export function findPeople(world: World, text: string, limit: number): SimUser[] {
  const wanted = text.trim().toLowerCase()
  const found = new Map<string, SimUser>()
  for (const user of world.users.values()) {
    if (found.size >= limit) break
    if (wanted === '' || namesOf(world, user).some((name) => name.toLowerCase().includes(wanted))) {
      found.set(user.id, user)
    }
  }
  for (const guild of world.guilds.values()) {
    for (const member of searchMembers(world, guild, wanted, limit + found.size)) {
      const user = findUser(world, member.user_id)
      if (user && found.size < limit) found.set(user.id, user)
    }
  }
  return [...found.values()]
}

const namesOf = (world: World, user: SimUser): string[] => [
  user.id,
  user.username,
  user.global_name ?? '',
  ...[...world.guilds.values()].map((guild) => guild.members.get(user.id)?.nick ?? ''),
]
