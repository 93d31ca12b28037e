import { guildEdits } from './edit-guilds.ts'
import { memberEdits } from './edit-members.ts'
import { userEdits } from './edit-users.ts'
import type { SimApplication } from './model.ts'
import { createState, type WorldState } from './state.ts'

type Edits = ReturnType<typeof userEdits> & ReturnType<typeof guildEdits> & ReturnType<typeof memberEdits>

/** The simulated platform's contents, with the verbs that change it while clients are watching. */
export interface World extends WorldState, Edits {}

export function createWorld(application: SimApplication): World {
  const state = createState(application)
  return Object.assign(state, userEdits(state), guildEdits(state), memberEdits(state))
}
