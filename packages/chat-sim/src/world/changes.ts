import type { APIRole } from 'discord-api-types/v10'
import type { SimGuild, SimMember, SimUser } from './model.ts'

/** A change in the world. Changes are emitted in order, and the gateway converts them to events. */
export type Change =
  | { type: 'memberAdded' | 'memberUpdated'; guild: SimGuild; member: SimMember; user: SimUser }
  | { type: 'memberRemoved' | 'banAdded' | 'banRemoved'; guild: SimGuild; user: SimUser }
  | { type: 'roleCreated' | 'roleUpdated'; guild: SimGuild; role: APIRole }
  | { type: 'roleDeleted'; guild: SimGuild; roleId: string }
  | { type: 'guildUpdated' | 'guildAvailable' | 'guildUnavailable' | 'botRemoved'; guild: SimGuild }
  | { type: 'botUpdated'; user: SimUser }

export interface Changes {
  emit(change: Change): void
  subscribe(listener: (change: Change) => void): () => void
}

/** Creates the emitter of changes. */
export function createChanges(): Changes {
  const listeners = new Set<(change: Change) => void>()
  return {
    emit: (change) => {
      for (const listener of listeners) listener(change)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
