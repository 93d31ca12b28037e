import type { AuditEvent } from '#audit/event'
import type { Tx } from '#platform/db/database'

export type KindName = 'event' | 'notice' | 'logout'

/** A message that waits in the queue. */
export interface Message {
  readonly id: string
  /** With `place`, the position in the queue of its receiver. */
  readonly xid: string
  readonly place: number
  readonly memberId: string | null
  readonly type: string
  /** A JSON object with the content of the message, and `at`. */
  readonly data: string
  /** The time of the change. */
  readonly at: string
  readonly atSec: number
  readonly attempts: number
}

/**
 * The result of one attempt:
 *
 * - `delivered`: the receiver has the message.
 * - `gone`: the address no longer exists, so nothing else is sent to it.
 * - `refused`: the receiver will never accept this message.
 * - `failed`: everything else. The receiver may still have received the message.
 * - `aborted`: the service closed the connection itself.
 */
export interface Attempt {
  readonly outcome: 'delivered' | 'gone' | 'refused' | 'failed' | 'aborted'
  readonly status: number | null
  readonly error: string | null
  /** The pause that the receiver requested. */
  readonly pauseMs?: number | undefined
}

/**
 * The end of messages that were given up:
 *
 * - `gone`, `refused`: the response of the receiver says so.
 * - `late`: they failed, and were queued at least 24 hours before.
 * - `silent`: the receiver has only failed for 24 hours and is switched off.
 * - `stale`: they waited behind too many others.
 */
export interface Ending {
  readonly reason: 'gone' | 'refused' | 'late' | 'silent' | 'stale'
  readonly count: number
  /** The last error, as a sentence. */
  readonly error: string
}

/** Sends messages to the address of a project. */
export interface Receiver {
  /** Sends the message once, built and signed for this attempt. Never throws. `nowSec` is the time of the database. */
  readonly send: (message: Message, nowSec: number, signal: AbortSignal) => Promise<Attempt>
  /** Takes the address out of use. Returns false if the project has another address by now. */
  readonly disable?: (tx: Tx) => Promise<boolean>
  /** Describes the end of messages for the audit log. */
  readonly entryOf: (ending: Ending) => AuditEvent
}

/** Describes how one kind of message differs from the others. */
export interface DeliveryKind {
  readonly name: KindName
  /**
   * Messages that are sent one after another: those about one member, all messages to the receiver, or none. Without
   * ordering, a failure does not predict the next one, so the receiver is not paused.
   */
  readonly ordering: 'member' | 'receiver' | 'none'
  /** Limits the queue of a receiver that accepts messages more slowly than they arrive. */
  readonly maxWaitHours?: number
  /** Switches off a receiver that has only failed for 24 hours. Otherwise only its old messages are given up. */
  readonly disablesSilent?: boolean
  /** True while this instance may send no message of this kind. */
  readonly isSilenced?: () => boolean
  /** Returns a receiver for the current address, or the reason why there is no address. */
  readonly open: (projectId: string) => Promise<Receiver | { readonly closed: string }>
}
