import type { ChatGatewaySession } from '#chat/chat-gateway'
import { open, SecretUnreadable, seal } from '#platform/crypto/seal'

/** What one leader leaves to the next, so that it goes on where this one was. */
export interface Handover {
  /** Each at the last sequence whose events are all written. */
  readonly sessions: readonly ChatGatewaySession[]
  /** Servers that the sessions tell of, and whether all of each was read by then. */
  readonly servers: readonly (readonly [serverId: string, isComplete: boolean])[]
}

/** There is one row. */
const rowId = 'live_mirror'

/** Whoever has the bot token could go on with a session by its id, so it is kept like the other secrets. */
export const sealHandover = (key: string, handover: Handover): Buffer =>
  seal(key, rowId, JSON.stringify(handover))

/** Undefined when it was sealed under another key: everything is read anew then. */
export function openHandover(key: string, sealed: Uint8Array): Handover | undefined {
  try {
    // What opens was sealed above.
    return JSON.parse(open(key, rowId, sealed)) as Handover
  } catch (error) {
    if (error instanceof SecretUnreadable) return undefined
    throw error
  }
}
