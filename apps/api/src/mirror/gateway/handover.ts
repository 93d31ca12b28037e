import type { ChatGatewaySession } from '#chat/chat-gateway'
import { open, SecretUnreadable, seal } from '#platform/crypto/seal'

/** The state that a leader passes to the next leader, which continues at the same position. */
export interface Handover {
  /** Each session at the last sequence up to which all events are written. */
  readonly sessions: readonly ChatGatewaySession[]
  /** The servers of the sessions, and whether each was read completely by then. */
  readonly servers: readonly (readonly [serverId: string, isComplete: boolean])[]
}

/** The table has one row. */
const rowId = 'live_mirror'

/** Encrypts a handover like the other secrets: with the bot token, a session can be resumed by its ID. */
export const sealHandover = (key: string, handover: Handover): Buffer =>
  seal(key, rowId, JSON.stringify(handover))

/** Opens a handover. Returns undefined if it was sealed under another key: all servers are then read again. */
export function openHandover(key: string, sealed: Uint8Array): Handover | undefined {
  try {
    // A value that opens was sealed above.
    return JSON.parse(open(key, rowId, sealed)) as Handover
  } catch (error) {
    if (error instanceof SecretUnreadable) return undefined
    throw error
  }
}
