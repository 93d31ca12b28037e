import type { ChatGatewayStatus } from '#chat/chat-gateway'

export interface LiveMirrorStatus {
  readonly isLeader: boolean
  /** The gateway connection of whichever instance leads; `closed` when none does, `off` when none may. */
  readonly gateway: Omit<ChatGatewayStatus, 'state'> & { readonly state: ChatGatewayStatus['state'] | 'off' }
  readonly lastEventAt: Date | null
  /** On the leader: servers that are vouched for now, and events that are not written yet. */
  readonly vouched: readonly string[]
  readonly pending: number
}

/** The mirror of the chat platform, kept true by its gateway on one of all instances. */
export interface LiveMirror {
  start(): void
  status(): LiveMirrorStatus
  close(): Promise<void>
}
