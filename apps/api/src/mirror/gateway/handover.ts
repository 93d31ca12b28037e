import type { ChatGatewaySession } from '#chat/chat-gateway'
import { open, SecretUnreadable, seal } from '#platform/crypto/seal'

/** The state that a leader leaves to the next one, so that it can continue where the leader stopped. */
export interface Handover {
  /** The gateway sessions. Each has the sequence number up to which all its events were written. */
  readonly sessions: readonly ChatGatewaySession[]
  /** The servers of these sessions, and whether each had been read completely. */
  readonly servers: readonly (readonly [serverId: string, isComplete: boolean])[]
}

/** The row that the encryption is bound to. The table has only this row. */
const rowId = 'live_mirror'

/** Encrypts the state. It is a secret, because with the bot token, the session ID is enough to resume the session. */
export const sealHandover = (key: string, handover: Handover): Buffer =>
  seal(key, rowId, JSON.stringify(handover))

/**
 * Decrypts the state. Returns undefined if it was encrypted with another key: the leader then reads all servers again.
 */
export function openHandover(key: string, sealed: Uint8Array): Handover | undefined {
  try {
    // The encryption is authenticated, so the content comes from `sealHandover`.
    return JSON.parse(open(key, rowId, sealed)) as Handover
  } catch (error) {
    if (error instanceof SecretUnreadable) return undefined
    throw error
  }
}
