import type { ChatGatewaySession } from '#chat/chat-gateway'
import { open, SecretUnreadable, seal } from '#platform/crypto/seal'

/** The state that a leader passes to the next leader, so that it continues at the same position. */
export interface Handover {
  /** Each session at the last sequence up to which all events are written. */
  readonly sessions: readonly ChatGatewaySession[]
  /** The servers of the sessions, and whether each was read completely by then. */
  readonly servers: readonly (readonly [serverId: string, isComplete: boolean])[]
}

/** Identifies the row in the seal. The table has one row. */
const rowId = 'live_mirror'

/** Encrypts a handover like the other secrets, because a session ID and the bot token resume the session. */
export const sealHandover = (key: string, handover: Handover): Buffer =>
  seal(key, rowId, JSON.stringify(handover))

/**
 * Decrypts a handover. Returns undefined if it was encrypted with another key. The leader then reads all servers again.
 */
export function openHandover(key: string, sealed: Uint8Array): Handover | undefined {
  try {
    // The value is authenticated, so `sealHandover` made it.
    return JSON.parse(open(key, rowId, sealed)) as Handover
  } catch (error) {
    if (error instanceof SecretUnreadable) return undefined
    throw error
  }
}
