import type { ChatServer } from '@rolecall/sdk/admin'
import type { Choice } from '../../forms/fields.tsx'

/** Servers to choose from. An empty ID means the current main server. */
export const serverChoices = (servers: readonly ChatServer[] = []): readonly Choice[] => [
  { id: '', text: 'The main server' },
  ...servers.map(({ id, name }) => ({ id, text: name })),
]
