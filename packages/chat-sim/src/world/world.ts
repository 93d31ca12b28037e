import { guildEdits } from './edit-guilds.ts'
import { memberEdits } from './edit-members.ts'
import { userEdits } from './edit-users.ts'
import type { SimApplication } from './model.ts'
import { createState, type WorldState } from './state.ts'

type Edits = ReturnType<typeof userEdits> & ReturnType<typeof guildEdits> & ReturnType<typeof memberEdits>

/**
 * The state of the simulated platform, with the functions that change it. Changes reach connected clients as events.
 */
export interface World extends WorldState, Edits {}

/** Creates an empty world with an application. */
export function createWorld(application: SimApplication): World {
  const state = createState(application)
  return Object.assign(state, userEdits(state), guildEdits(state), memberEdits(state))
}
