import type { WorldState } from './state.ts'

/** Records the world. Returns a function that restores it in place, so that references to its objects stay valid. */
export function takeSnapshot(world: WorldState): () => void {
  const { generatedUsers } = world
  // Redirect URIs are not restored. Test setups register theirs once, and reset the world between tests.
  const { redirectUris: _kept, ...application } = world.application
  const users = [...world.users]
  const webhooks = [...world.webhooks]
  const guilds = [...world.guilds].map(([id, guild]) => ({
    id,
    guild,
    fields: { ...guild },
    roles: [...guild.roles],
    bans: [...guild.bans],
    restoreMembers: guild.members.remember(),
  }))

  return () => {
    world.generatedUsers = generatedUsers
    Object.assign(world.application, application)
    refill(world.users, users)
    refill(world.webhooks, webhooks)
    refill(
      world.guilds,
      guilds.map(({ id, guild }) => [id, guild]),
    )
    for (const { guild, fields, roles, bans, restoreMembers } of guilds) {
      Object.assign(guild, fields)
      refill(guild.roles, roles)
      refill(guild.bans, bans)
      restoreMembers()
    }
  }
}

function refill<Value>(map: Map<string, Value>, entries: readonly (readonly [string, Value])[]): void {
  map.clear()
  for (const [key, value] of entries) map.set(key, value)
}
