import { type Clock, createClock } from '../clock.ts'
import { bulkIndex, bulkUser } from './bulk.ts'
import { type Changes, createChanges } from './changes.ts'
import type { SimApplication, SimGuild, SimUser, SimWebhook } from './model.ts'
import { createSnowflakes } from './snowflake.ts'

/** The state of the simulated platform, without the functions that change it. */
export interface WorldState {
  readonly application: SimApplication
  readonly clock: Clock
  readonly guilds: Map<string, SimGuild>
  /** The accounts that were created or edited one by one. Generated accounts exist only as a number; see `findUser`. */
  readonly users: Map<string, SimUser>
  readonly webhooks: Map<string, SimWebhook>
  readonly changes: Changes
  readonly mintId: () => string
  /** The number of generated accounts. */
  generatedUsers: number
}

export function createState(application: SimApplication): WorldState {
  const clock = createClock()
  return {
    application,
    clock,
    guilds: new Map(),
    users: new Map(),
    webhooks: new Map(),
    changes: createChanges(),
    mintId: createSnowflakes(clock.now),
    generatedUsers: 0,
  }
}

/** Returns an account, also a generated one. Undefined if it does not exist. */
export function findUser(state: WorldState, id: string): SimUser | undefined {
  const own = state.users.get(id)
  if (own) return own
  const index = bulkIndex(id)
  return index >= 0 && index < state.generatedUsers ? bulkUser(index) : undefined
}

/** Returns an account. Throws if it does not exist. */
export function getUser(state: WorldState, id: string): SimUser {
  const user = findUser(state, id)
  if (!user) throw new Error(`The simulated Discord has no user ${id}`)
  return user
}

/** Returns a server. Throws if it does not exist. */
export function getGuild(state: WorldState, id: string): SimGuild {
  const guild = state.guilds.get(id)
  if (!guild) throw new Error(`The simulated Discord has no guild ${id}`)
  return guild
}

/** Returns the user ID of the bot. It is the application's ID, as for every application created since 2016. */
export const botId = (state: WorldState): string => state.application.clientId

/** Returns true if the bot is in a server. */
export const hasBot = (state: WorldState, guild: SimGuild): boolean =>
  guild.members.get(botId(state)) !== undefined
