import type { AuditEvent } from '#audit/event'
import type { Tx } from '#platform/db/database'

/** The kinds of messages: events of a project, notices for its administrators, and logout tokens. */
export type KindName = 'event' | 'notice' | 'logout'

/** A message that waits in the queue. */
export interface Message {
  readonly id: string
  /** The position in the queue of its receiver, together with `place`. */
  readonly xid: string
  readonly place: number
  readonly memberId: string | null
  readonly type: string
  /** The content as a JSON object, including `at`. */
  readonly data: string
  /** The time of the change that the message reports. */
  readonly at: string
  readonly atSec: number
  readonly attempts: number
}

/**
 * The result of one attempt to send a message:
 *
 * - `delivered`: the receiver accepted the message.
 * - `gone`: the address no longer exists, so no more messages are sent to it.
 * - `refused`: the receiver will never accept this message.
 * - `failed`: anything else. The receiver may nevertheless have received the message.
 * - `aborted`: this service aborted the request.
 */
export interface Attempt {
  readonly outcome: 'delivered' | 'gone' | 'refused' | 'failed' | 'aborted'
  readonly status: number | null
  readonly error: string | null
  /** The pause before the next message that the receiver has asked for. */
  readonly pauseMs?: number | undefined
}

/**
 * The reasons for giving up messages:
 *
 * - `gone`, `refused`: the outcome of the attempt (see `Attempt`).
 * - `late`: they failed, and had been queued for at least 24 hours.
 * - `silent`: the receiver has done nothing but fail for 24 hours, and was disabled.
 * - `stale`: they waited too long behind other messages.
 */
export interface Ending {
  readonly reason: 'gone' | 'refused' | 'late' | 'silent' | 'stale'
  readonly count: number
  /** The last error, as a sentence. */
  readonly error: string
}

/** The address of a project to which messages of one kind are sent. */
export interface Receiver {
  /**
   * Sends a message once. Builds and signs it for this attempt. Never throws. `nowSec` is the database's time in
   * seconds.
   */
  readonly send: (message: Message, nowSec: number, signal: AbortSignal) => Promise<Attempt>
  /** Disables the address. Returns false if the project has another address by now. */
  readonly disable?: (tx: Tx) => Promise<boolean>
  /** Returns the audit entry for messages that were given up. */
  readonly entryOf: (ending: Ending) => AuditEvent
}

/** One kind of message: everything in which it differs from the other kinds. */
export interface DeliveryKind {
  readonly name: KindName
  /**
   * The messages that must be sent one after another: those about the same member, all messages to a receiver, or none.
   * With `none`, the failure of one message says nothing about the next, so the receiver is not paused.
   */
  readonly ordering: 'member' | 'receiver' | 'none'
  /**
   * Gives up messages that have waited for this time. This limits the queue of a receiver that is slower than its
   * messages arrive.
   */
  readonly maxWaitHours?: number
  /**
   * True if a receiver that has only failed for 24 hours is disabled. Otherwise, only its old messages are given up.
   */
  readonly disablesSilent?: boolean
  /** Returns true while this instance must not send messages of this kind. */
  readonly isSilenced?: () => boolean
  /** Returns the receiver with the project's current address, or why there is none. */
  readonly open: (projectId: string) => Promise<Receiver | { readonly closed: string }>
}
