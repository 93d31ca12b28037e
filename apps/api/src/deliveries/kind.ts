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
 * - `gone`: the address does not exist any more, so nothing else is sent to it.
 * - `refused`: the receiver will never accept this message.
 * - `failed`: everything else. The receiver may have the message all the same.
 * - `aborted`: the service closed the connection itself.
 */
export interface Attempt {
  readonly outcome: 'delivered' | 'gone' | 'refused' | 'failed' | 'aborted'
  readonly status: number | null
  readonly error: string | null
  /** Pause that the receiver asked for. */
  readonly pauseMs?: number | undefined
}

/**
 * Why messages were given up:
 *
 * - `gone`, `refused`: by the answer of the receiver.
 * - `late`: they failed for 24 hours.
 * - `silent`: the receiver accepted nothing for 24 hours and is switched off.
 * - `stale`: they waited behind too many others.
 */
export interface Ending {
  readonly why: 'gone' | 'refused' | 'late' | 'silent' | 'stale'
  readonly count: number
  /** The last error, as a sentence. */
  readonly error: string
}

/** The address of a project, with everything that sending to it needs. */
export interface Receiver {
  /** Sends the message once, built and signed for this attempt. Never throws. `nowSec` is the time of the database. */
  readonly send: (message: Message, nowSec: number, signal: AbortSignal) => Promise<Attempt>
  /** Takes the address out of use. Returns false if the project has another address by now. */
  readonly disable?: (tx: Tx) => Promise<boolean>
  /** Describes the end of messages for the audit log. */
  readonly entryOf: (ending: Ending) => AuditEvent
}

/** Everything that differs between the kinds of message. */
export interface DeliveryKind {
  readonly name: KindName
  /**
   * Messages that wait for each other: those about one member, all of the receiver, or none. Without an order, a failure
   * says nothing about the next message, so the receiver gets no pause.
   */
  readonly order: 'member' | 'receiver' | 'none'
  /** Bounds the queue of a receiver that is slower than messages come. */
  readonly maxWaitHours?: number
  /** A receiver that accepted nothing for 24 hours is switched off. Otherwise only its old messages are given up. */
  readonly disablesSilent?: boolean
  /** True while this instance may send no message of this kind. */
  readonly isSilenced?: () => boolean
  /** Reads the address as it is now, or the reason why there is none. */
  readonly open: (projectId: string) => Promise<Receiver | { readonly closed: string }>
}
