import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordAudit } from '#audit/event'
import { type Database, DatabaseUnavailable } from '#platform/db/database'
import { deliveryBackOffMs } from './back-off.ts'
import type { ReceiverClaim } from './claim-store.ts'
import type { Attempt, DeliveryKind, Message, Receiver } from './kind.ts'
import { giveUp, giveUpOlder, recordFailedAttempt, recordFinalAttempt } from './queue-store.ts'
import { slowMs } from './slots.ts'

/** The time limit for recording a result. If it cannot be recorded in time, the message is sent again. */
const maxSettlingMs = 8_000

/** The result of an attempt in the metrics: accepted, to be retried, or given up. */
export type CountedResult = 'delivered' | 'retried' | 'given_up'

const staleError = (hours: number) =>
  `The message waited for ${hours} hours, because messages arrive faster than the receiver accepts them.`

/** The dependencies that record the result of an attempt. */
export interface SettleDeps {
  readonly db: Database
  readonly audit: { readonly record: RecordAudit }
  /** Counts attempts by result. */
  readonly count: (result: CountedResult, count?: number) => void
}

/** The receiver that an instance is sending to. */
export interface Work {
  readonly kind: DeliveryKind
  readonly receiverClaim: ReceiverClaim
  readonly receiver: Receiver
  /** The number of failures in a row before this run. */
  readonly failures: number
}

/**
 * Records the result of an attempt. A message that the receiver accepted, or will never accept, is done. Any other is
 * scheduled again. Returns true if the next message may follow immediately.
 */
export async function settle(
  deps: SettleDeps,
  work: Work,
  message: Message,
  attempt: Attempt,
  tookMs: number,
): Promise<boolean> {
  const { pauseMs = 0, outcome } = attempt
  if (outcome === 'gone' && (await disable(deps, work, message, attempt))) return false
  if (outcome === 'delivered' || outcome === 'refused') {
    await recordFinalResult(deps, work, message, attempt, { isSlow: tookMs > slowMs, pauseMs })
    return pauseMs === 0
  }
  await scheduleRetry(deps, work, message, attempt)
  return work.kind.ordering === 'none'
}

/** Records that a message is done. A refusal goes into the audit log, because the message is lost. */
async function recordFinalResult(
  { db, audit, count }: SettleDeps,
  { receiverClaim, receiver }: Work,
  message: Message,
  attempt: Attempt,
  state: { isSlow: boolean; pauseMs: number },
) {
  const error = attempt.error ?? ''
  if (attempt.outcome === 'delivered') {
    await recordFinalAttempt(db, receiverClaim, message.id, { ...attempt, error: null }, state)
    count('delivered')
    return
  }
  await db.transaction(async (tx) => {
    await recordFinalAttempt(tx, receiverClaim, message.id, attempt, state)
    await audit.record(tx, receiver.entryOf({ reason: 'refused', count: 1, error }))
  })
  count('given_up')
}

/**
 * Disables an address that no longer exists, and gives up the message. Returns false if the address stays in use: the
 * project has a new one, or this kind never disables one.
 */
async function disable(
  { db, audit, count }: SettleDeps,
  { receiverClaim, receiver }: Work,
  message: Message,
  attempt: Attempt,
): Promise<boolean> {
  const isDisabled = await db.transaction(async (tx) => {
    if (!(await receiver.disable?.(tx))) return false
    await recordFinalAttempt(tx, receiverClaim, message.id, attempt, { isSlow: false, pauseMs: 0 })
    await audit.record(tx, receiver.entryOf({ reason: 'gone', count: 1, error: attempt.error ?? '' }))
    return true
  })
  if (isDisabled) count('given_up')
  return isDisabled
}

/**
 * Schedules another attempt for a failed message. Gives it up if it is too late for that:
 *
 * - A message that was queued 24 hours ago is given up. This does not apply if all messages share one ordering key,
 *   because the first of them fails for as long as the receiver does.
 * - If the receiver is silent (see `Failing`), all its messages that are 24 hours old are given up, with a single audit
 *   entry. With `disablesSilent`, the receiver is disabled instead.
 */
async function scheduleRetry(deps: SettleDeps, work: Work, message: Message, attempt: Attempt) {
  const { kind, receiverClaim, receiver } = work
  const error = attempt.error ?? ''
  const { givenUp, isSwitchedOff } = await deps.db.transaction(async (tx) => {
    const failing = await recordFailedAttempt(
      tx,
      receiverClaim,
      message.id,
      attempt,
      pausesAfter(work, message, attempt),
    )
    if (failing?.isReceiverSilent && kind.disablesSilent) return { givenUp: 0, isSwitchedOff: true }
    const isMessageLate = failing?.isMessageLate && kind.ordering !== 'receiver'
    if (!failing?.isReceiverSilent && !isMessageLate) return { givenUp: 0, isSwitchedOff: false }
    const count = await (failing?.isReceiverSilent
      ? giveUpOlder(tx, receiverClaim, 24, null)
      : giveUp(tx, [message.id], error))
    if (count > 0) await deps.audit.record(tx, receiver.entryOf({ reason: 'late', count, error }))
    return { givenUp: count, isSwitchedOff: false }
  })
  if (givenUp > 0) deps.count('given_up', givenUp)
  else deps.count('retried')
  // A transaction of its own, because the address must be locked before the receiver: an administrator who changes the
  // address locks them in this order.
  if (isSwitchedOff)
    await deps.db.transaction(async (tx) => {
      if (await receiver.disable?.(tx))
        await deps.audit.record(tx, receiver.entryOf({ reason: 'silent', count: 0, error }))
    })
}

/**
 * Returns the pauses after a failure. Neither is shorter than the receiver asked for. Without ordering, the receiver is
 * not paused, because the other messages need not wait.
 */
function pausesAfter({ kind, failures }: Work, { attempts }: Message, { pauseMs: requestedMs = 0 }: Attempt) {
  return {
    messageMs: Math.max(requestedMs, deliveryBackOffMs(attempts + 1)),
    receiverMs: kind.ordering === 'none' ? 0 : Math.max(requestedMs, deliveryBackOffMs(failures + 1)),
  }
}

/** Gives up the messages that have waited longer than their kind permits, with a single audit entry. */
export async function giveUpStale({ db, audit, count }: SettleDeps, { kind, receiverClaim, receiver }: Work) {
  const { maxWaitHours } = kind
  if (maxWaitHours === undefined) return
  const error = staleError(maxWaitHours)
  const givenUp = await db.transaction(async (tx) => {
    const stale = await giveUpOlder(tx, receiverClaim, maxWaitHours, error)
    if (stale > 0) await audit.record(tx, receiver.entryOf({ reason: 'stale', count: stale, error }))
    return stale
  })
  count('given_up', givenUp)
}

/** Repeats a write during a short outage of the database. If the result were lost, the message would be sent twice. */
export async function retryThroughOutage<T>(write: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + maxSettlingMs
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || performance.now() > deadline) throw error
      await sleep(250)
    }
  }
}
