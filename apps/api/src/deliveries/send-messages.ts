import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ClaimedReceiver,
  findClaim,
  type ReceiverClaim,
  releaseClaim,
  renewClaim,
} from './claim-store.ts'
import type { DeliveryKind, Message, Receiver } from './kind.ts'
import { batchSize, giveUp, listWaiting, type Position, type WaitingMessage } from './queue-store.ts'
import { giveUpStale, retryThroughOutage, type SettleDeps, settle, type Work } from './settle.ts'

/** The maximum number of simultaneous requests to a receiver. Each has a different ordering key. */
const maxConcurrentRequests = 4
/** The longest time for one receiver, so that others get their turn. */
const maxRunMs = 5_000
/**
 * A longer limit, while a message without ordering waits for its response. Such a message does not delay later ones.
 */
const maxHangingRunMs = 60_000
/** The interval at which the queue is read while a message waits for its response. */
const readAgainMs = 400
/** The interval at which a claim is renewed. A claim must outlast a request, which takes up to 10 seconds. */
const renewMs = 2_000

/**
 * The progress of sending to one receiver. An ordering key is shared by messages that must be sent one after another.
 */
interface Run {
  readonly kind: DeliveryKind
  readonly receiverClaim: ReceiverClaim
  readonly failures: number
  readonly signal: AbortSignal
  readonly startedAt: number
  /** Messages that were read but not sent yet, by ordering key. */
  readonly waiting: Map<string, WaitingMessage[]>
  /** The ordering keys with a request in progress. Each promise settles when its message has been sent. */
  readonly inFlight: Map<string, Promise<void>>
  /** The ordering keys whose first message must wait for its next attempt. */
  readonly blockedKeys: Set<string>
  /**
   * The number of attempts of each message before this run sent it. If a later read still returns this number, the read
   * is outdated, and the message is not sent again.
   */
  readonly attemptsBefore: Map<string, number>
  /** The receiver, as read after the last batch of messages. */
  receiver: Receiver | undefined
  failure: { readonly cause: unknown } | undefined
  after: Position
  renewedAt: number
  isIdle: boolean
  isStopped: boolean
}

/**
 * Sends the messages of a receiver that was claimed, one after another for each ordering key. A message that fails
 * blocks the later ones with its key, until it is delivered or given up. Unless the kind has no ordering, the failure
 * also pauses the whole receiver. Each run after that sends it a single message, until the receiver accepts one.
 */
export async function sendMessages(
  deps: SettleDeps,
  kind: DeliveryKind,
  { claimed, claim, signal }: { claimed: ClaimedReceiver; claim: string; signal: AbortSignal },
): Promise<void> {
  const { projectId, failures } = claimed
  const startedAt = performance.now()
  const run: Run = {
    ...{ kind, failures, signal, startedAt, renewedAt: startedAt },
    ...{ receiverClaim: { kind: kind.name, projectId, claim }, after: { xid: '0', place: 0 } },
    ...{ waiting: new Map(), inFlight: new Map(), blockedKeys: new Set(), attemptsBefore: new Map() },
    ...{ receiver: undefined, failure: undefined, isIdle: true, isStopped: false },
  }
  try {
    await sendUntilOver(deps, run)
  } finally {
    // Keeps the claim until every request has ended.
    await Promise.all(run.inFlight.values())
  }
  if (run.failure) throw run.failure.cause
  await releaseClaim(deps.db, run.receiverClaim, run.isIdle && kind.ordering !== 'none' && !signal.aborted)
}

async function sendUntilOver(deps: SettleDeps, run: Run): Promise<void> {
  const maxConcurrent = run.kind.ordering === 'receiver' || isProbe(run) ? 1 : maxConcurrentRequests
  while (!isOver(run)) {
    const next = run.inFlight.size < maxConcurrent ? takeNext(run) : undefined
    if (next) {
      startSending(deps, run, next)
      continue
    }
    const mayRead = run.inFlight.size < maxConcurrent && countWaiting(run) < batchSize
    if (mayRead && (await readBatch(deps, run))) continue
    if (run.inFlight.size === 0) return
    await Promise.race([...run.inFlight.values(), sleep(readAgainMs, undefined, { ref: false })])
  }
}

/** Returns true if the receiver has failed before. A single message then tests whether it has recovered. */
const isProbe = ({ failures, kind }: Run) => failures > 0 && kind.ordering !== 'none'

function isOver({ kind, signal, startedAt, inFlight, isStopped }: Run): boolean {
  const isHanging = kind.ordering === 'none' && inFlight.size > 0
  const maxMs = isHanging ? maxHangingRunMs : maxRunMs
  return isStopped || signal.aborted || performance.now() - startedAt >= maxMs || kind.isSilenced?.() === true
}

interface Next {
  readonly orderingKey: string
  readonly message: Message
  readonly receiver: Receiver
}

/**
 * Takes the first message of an ordering key that has no request in progress. A test of a failed receiver prefers the
 * messages with the fewest attempts. Otherwise, a message that the receiver never accepts would be used for every test,
 * and block the messages of all other members.
 */
function takeNext(run: Run): Next | undefined {
  const { receiver, waiting, inFlight, blockedKeys } = run
  let next: Next | undefined
  for (const [orderingKey, [message]] of waiting) {
    if (inFlight.has(orderingKey)) continue
    if (!message?.isDue || !receiver) {
      waiting.delete(orderingKey)
      blockedKeys.add(orderingKey)
    } else if (!next || message.attempts < next.message.attempts) {
      next = { orderingKey, message, receiver }
      if (!isProbe(run)) break
    }
  }
  if (!next) return undefined
  const [, ...others] = waiting.get(next.orderingKey) ?? []
  // Moves the ordering key to the end, so that each key gets its turn.
  waiting.delete(next.orderingKey)
  if (others.length > 0) waiting.set(next.orderingKey, others)
  return next
}

const countWaiting = ({ waiting }: Run) => [...waiting.values()].reduce((sum, { length }) => sum + length, 0)

/** Starts to send a message, without waiting for the result. If the service itself fails, the run stops. */
function startSending(deps: SettleDeps, run: Run, { orderingKey, message, receiver }: Next): void {
  if (isProbe(run)) run.isStopped = true
  const sending = async () => {
    try {
      const nowSec = await checkClaim(deps, run)
      if (nowSec === undefined) return
      run.isIdle = false
      if (!(await send(deps, { ...run, receiver }, message, nowSec))) run.isStopped = true
    } catch (cause) {
      run.isStopped = true
      run.failure ??= { cause }
    } finally {
      run.inFlight.delete(orderingKey)
    }
  }
  run.attemptsBefore.set(message.id, message.attempts)
  run.inFlight.set(orderingKey, sending())
}

/**
 * Reads the next messages, and then the receiver. Returns false if there is nothing new. Messages without ordering are
 * read from the beginning each time, because a failed message can become due again, and a message with an earlier
 * position can be committed later.
 */
async function readBatch(deps: SettleDeps, run: Run): Promise<boolean> {
  const { kind, receiverClaim, failures } = run
  const listed = await listWaiting(deps.db, receiverClaim, kind, run.after)
  const batch = listed.filter((message) => !isKnown(run, message))
  const last = batch.at(-1)
  if (!last) return false
  if (kind.ordering !== 'none') run.after = last
  const receiver = await kind.open(receiverClaim.projectId)
  if ('closed' in receiver) {
    run.isIdle = false
    await giveUp(
      deps.db,
      batch.map(({ id }) => id),
      receiver.closed,
    )
    return true
  }
  run.receiver = receiver
  if (batch.some(({ isStale }) => isStale)) {
    run.isIdle = false
    await giveUpStale(deps, { kind, receiverClaim, receiver, failures })
  }
  for (const message of batch) {
    const orderingKey = orderingKeyOf(kind, message)
    if (message.isStale || run.blockedKeys.has(orderingKey)) continue
    const others = run.waiting.get(orderingKey)
    if (others) others.push(message)
    else run.waiting.set(orderingKey, [message])
  }
  return true
}

const isKnown = ({ waiting, attemptsBefore }: Run, { id, attempts }: WaitingMessage) =>
  waiting.has(id) || attemptsBefore.get(id) === attempts

/** Returns the ordering key of a message. All events that are not about a member share one. */
function orderingKeyOf({ ordering }: DeliveryKind, { id, memberId }: WaitingMessage): string {
  if (ordering === 'none') return id
  return ordering === 'member' ? (memberId ?? '') : ''
}

/**
 * Checks the claim before each message, because a new address ends the claim. Renews the claim when it is time. Returns
 * the database's time, or undefined if the run was aborted or the claim was lost. A lost claim also stops the run.
 */
async function checkClaim({ db }: SettleDeps, run: Run): Promise<number | undefined> {
  const now = performance.now()
  const isRenewal = now - run.renewedAt >= renewMs
  if (isRenewal) run.renewedAt = now
  const receiverClaim = await (isRenewal ? renewClaim : findClaim)(db, run.receiverClaim)
  if (!receiverClaim) run.isStopped = true
  return run.signal.aborted ? undefined : receiverClaim?.nowSec
}

/** Sends a message once, and records the result. Returns true if the next message may follow. */
async function send(deps: SettleDeps, work: Work & Pick<Run, 'signal'>, message: Message, nowSec: number) {
  const startedAt = performance.now()
  const attempt = await work.receiver.send(message, nowSec, work.signal)
  if (attempt.outcome === 'aborted') return false
  const tookMs = performance.now() - startedAt
  return retryThroughOutage(() => settle(deps, work, message, attempt, tookMs))
}
