import type { Project } from '@rolecall/sdk/admin'

interface State {
  readonly tone: 'good' | 'warn' | 'bad' | 'none'
  readonly text: string
}

/** Returns the worst problem that keeps a project from working. */
export function stateOf({ isActive, apiKey, eventsDisabledAt, isInternal, serverAccess }: Project): State {
  if (!isActive) return { tone: 'none', text: 'Inactive' }
  if (apiKey.status === 'revoked') return { tone: 'bad', text: 'Key revoked' }
  if (apiKey.status === 'expired') return { tone: 'bad', text: 'Key expired' }
  if (serverAccess.length === 0 && !isInternal) return { tone: 'warn', text: 'No server' }
  if (eventsDisabledAt) return { tone: 'warn', text: 'Events disabled' }
  return { tone: 'good', text: 'Active' }
}

/** Counts the servers that a project can use. An internal project always uses the main server. */
export const serverCountOf = ({ isInternal, serverAccess }: Project): number =>
  serverAccess.length + (isInternal && !serverAccess.some(({ isMainServer }) => isMainServer) ? 1 : 0)
