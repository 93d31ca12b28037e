import { setTimeout as sleep } from 'node:timers/promises'
import { type Claimed, findHeld, type Held, holdReceiver, releaseReceiver } from './claim-store.ts'
import type { DeliveryKind, Message, Receiver } from './kind.ts'
import { batchSize, giveUp, listWaiting, type Position, type WaitingMessage } from './queue-store.ts'
import { giveUpStale, persistently, type SettleDeps, settle, type Work } from './settle.ts'

/** Maximum number of concurrent requests to one receiver. Their messages do not depend on each other's order. */
const maxAtOnce = 4
/** Time limit for one receiver, so that others get their turn. */
const maxRunMs = 5_000
/** The same limit while a message without an order waits for its response, because later messages do not wait for it. */
const maxHangingRunMs = 60_000
/** Interval for reading the queue while a message waits for its response. */
const readAgainMs = 400
/** Interval for renewing a claim, so that it outlasts a request, which takes up to 10 seconds. */
const renewMs = 2_000

/** The progress of the work on one receiver. */
interface Run {
  readonly kind: DeliveryKind
  readonly held: Held
  readonly failures: number
  readonly signal: AbortSignal
  readonly begunAt: number
  /** Messages that were read but not sent, by order. */
  readonly waiting: Map<string, WaitingMessage[]>
  /** Orders with a message in flight; the promise settles when it was sent. */
  readonly underWay: Map<string, Promise<void>>
  /** Orders with a first message that waits for its next attempt. */
  readonly heldBack: Set<string>
  /** Attempts of each message before the one of this run, so that an old read does not send it again. */
  readonly tried: Map<string, number>
  /** The receiver, which is read after the waiting messages. */
  receiver: Receiver | undefined
  failure: { readonly cause: unknown } | undefined
  after: Position
  renewedAt: number
  isIdle: boolean
  isStopped: boolean
}

/**
 * Sends the messages of one claimed receiver, in sequence within each order. A failed message blocks the later messages of
 * its order until it is delivered or given up. It also pauses the receiver, which then gets one message at a time.
 */
export async function sendMessages(
  deps: SettleDeps,
  kind: DeliveryKind,
  { claimed, claim, signal }: { claimed: Claimed; claim: string; signal: AbortSignal },
): Promise<void> {
  const { projectId, failures } = claimed
  const begunAt = performance.now()
  const run: Run = {
    ...{ kind, failures, signal, begunAt, renewedAt: begunAt },
    ...{ held: { kind: kind.name, projectId, claim }, after: { xid: '0', place: 0 } },
    ...{ waiting: new Map(), underWay: new Map(), heldBack: new Set(), tried: new Map() },
    ...{ receiver: undefined, failure: undefined, isIdle: true, isStopped: false },
  }
  try {
    await sendUntilOver(deps, run)
  } finally {
    // The claim must not end while a message is being sent.
    await Promise.all(run.underWay.values())
  }
  if (run.failure) throw run.failure.cause
  await releaseReceiver(deps.db, run.held, run.isIdle && kind.order !== 'none' && !signal.aborted)
}

async function sendUntilOver(deps: SettleDeps, run: Run): Promise<void> {
  const maxConcurrent = run.kind.order === 'receiver' || isProbe(run) ? 1 : maxAtOnce
  while (!isOver(run)) {
    const next = run.underWay.size < maxConcurrent ? takeNext(run) : undefined
    if (next) {
      startSending(deps, run, next)
      continue
    }
    const mayRead = run.underWay.size < maxConcurrent && countWaiting(run) < batchSize
    if (mayRead && (await readBatch(deps, run))) continue
    if (run.underWay.size === 0) return
    await Promise.race([...run.underWay.values(), sleep(readAgainMs, undefined, { ref: false })])
  }
}

/** True if the receiver failed before, so that a single message tests whether it has recovered. */
const isProbe = ({ failures, kind }: Run) => failures > 0 && kind.order !== 'none'

function isOver({ kind, signal, begunAt, underWay, isStopped }: Run): boolean {
  const isHanging = kind.order === 'none' && underWay.size > 0
  const maxMs = isHanging ? maxHangingRunMs : maxRunMs
  return isStopped || signal.aborted || performance.now() - begunAt >= maxMs || kind.isSilenced?.() === true
}

interface Next {
  readonly order: string
  readonly message: Message
  readonly receiver: Receiver
}

/** Takes the first message of an order that has no message in flight. */
function takeNext(run: Run): Next | undefined {
  const { receiver, waiting, underWay, heldBack } = run
  for (const [order, [message, ...others]] of waiting) {
    if (underWay.has(order)) continue
    waiting.delete(order)
    if (!message?.isDue || !receiver) heldBack.add(order)
    else {
      if (others.length > 0) waiting.set(order, others)
      return { order, message, receiver }
    }
  }
  return undefined
}

const countWaiting = ({ waiting }: Run) => [...waiting.values()].reduce((sum, { length }) => sum + length, 0)

/** Starts sending a message without waiting for it. A failure of the service itself stops the work. */
function startSending(deps: SettleDeps, run: Run, { order, message, receiver }: Next): void {
  if (isProbe(run)) run.isStopped = true
  const sending = async () => {
    try {
      const nowSec = await holdUntilSent(deps, run)
      if (nowSec === undefined) return
      run.isIdle = false
      if (!(await send(deps, { ...run, receiver }, message, nowSec))) run.isStopped = true
    } catch (cause) {
      run.isStopped = true
      run.failure ??= { cause }
    } finally {
      run.underWay.delete(order)
    }
  }
  run.tried.set(message.id, message.attempts)
  run.underWay.set(order, sending())
}

/**
 * Reads the next messages, and then the receiver. Returns false if nothing new waits. Messages without an order are read from
 * the beginning each time: one that failed is due again, and one with an earlier position may be committed later.
 */
async function readBatch(deps: SettleDeps, run: Run): Promise<boolean> {
  const { kind, held, failures } = run
  const listed = await listWaiting(deps.db, held, kind, run.after)
  const batch = listed.filter((message) => !isKnown(run, message))
  const last = batch.at(-1)
  if (!last) return false
  if (kind.order !== 'none') run.after = last
  const receiver = await kind.open(held.projectId)
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
    await giveUpStale(deps, { kind, held, receiver, failures })
  }
  for (const message of batch) {
    const order = orderOf(kind, message)
    if (message.isStale || run.heldBack.has(order)) continue
    const others = run.waiting.get(order)
    if (others) others.push(message)
    else run.waiting.set(order, [message])
  }
  return true
}

const isKnown = ({ waiting, tried }: Run, { id, attempts }: WaitingMessage) =>
  waiting.has(id) || tried.get(id) === attempts

/** Returns the order that a message belongs to. Events without a member share one order. */
function orderOf({ order }: DeliveryKind, { id, memberId }: WaitingMessage): string {
  if (order === 'none') return id
  return order === 'member' ? (memberId ?? '') : ''
}

/**
 * Checks the claim before each message, because a new address ends it. Returns the time of the database. If the claim is
 * lost, stops the work and returns undefined.
 */
async function holdUntilSent({ db }: SettleDeps, run: Run): Promise<number | undefined> {
  const now = performance.now()
  const isRenewal = now - run.renewedAt >= renewMs
  if (isRenewal) run.renewedAt = now
  const held = await (isRenewal ? holdReceiver : findHeld)(db, run.held)
  if (!held) run.isStopped = true
  return run.signal.aborted ? undefined : held?.nowSec
}

/** Sends a message once and records the result. Returns true if the next message may follow. */
async function send(deps: SettleDeps, work: Work & Pick<Run, 'signal'>, message: Message, nowSec: number) {
  const begun = performance.now()
  const attempt = await work.receiver.send(message, nowSec, work.signal)
  if (attempt.outcome === 'aborted') return false
  const tookMs = performance.now() - begun
  return persistently(() => settle(deps, work, message, attempt, tookMs))
}
