import { type Claimed, type Held, holdReceiver, releaseReceiver } from './claim-store.ts'
import type { DeliveryKind, Message, Receiver } from './kind.ts'
import { batchSize, giveUp, listWaiting, type Position, type WaitingMessage } from './queue-store.ts'
import { giveUpStale, persistently, type SettleDeps, settle, type Work } from './settle.ts'

/** Requests to one receiver at once, each of another order. */
const maxAtOnce = 4
/** A receiver goes to the end of the line after this time, because others have messages, too. */
const maxRunMs = 5_000
/** A claim is renewed after this time, so that it outlasts the 10 seconds of a request. */
const renewMs = 2_000

/** The progress of the work on one receiver. */
interface Run {
  readonly kind: DeliveryKind
  readonly held: Held
  readonly failures: number
  readonly signal: AbortSignal
  readonly deadline: number
  /** Orders whose first message waits for its next attempt. */
  readonly heldBack: Set<string>
  after: Position
  heldAt: number
  isIdle: boolean
  isStopped: boolean
}

/**
 * Sends the messages of one claimed receiver, each order in sequence. A message that fails holds back the later ones of its
 * order until it is delivered or given up, and pauses the receiver: one that fails gets one message at a time.
 */
export async function sendMessages(
  deps: SettleDeps,
  kind: DeliveryKind,
  { claimed, claim, signal }: { claimed: Claimed; claim: string; signal: AbortSignal },
): Promise<void> {
  const heldAt = performance.now()
  const { projectId, failures } = claimed
  const run: Run = {
    ...{ kind, failures, signal, heldAt, deadline: heldAt + maxRunMs, heldBack: new Set() },
    ...{ held: { kind: kind.name, projectId, claim }, after: { xid: '0', place: 0 } },
    ...{ isIdle: true, isStopped: false },
  }
  while (await mayGoOn(deps, run)) if (!(await sendBatch(deps, run))) break
  await releaseReceiver(deps.db, run.held, run.isIdle && kind.order !== 'none' && !signal.aborted)
}

/** Returns false when the work must stop, and renews the claim. */
async function mayGoOn({ db }: SettleDeps, run: Run): Promise<boolean> {
  const now = performance.now()
  if (run.isStopped || run.signal.aborted || now >= run.deadline || run.kind.isSilenced?.()) return false
  if (now - run.heldAt < renewMs) return true
  run.heldAt = now
  if ((await holdReceiver(db, run.held)) === 0) run.isStopped = true
  return !run.isStopped
}

/** Sends the next messages. Returns true if there may be more. */
async function sendBatch(deps: SettleDeps, run: Run): Promise<boolean> {
  const { kind, held, failures } = run
  const listedAt = performance.now()
  const batch = await listWaiting(deps.db, held, kind, run.after)
  const last = batch.at(-1)
  if (!last) return false
  run.after = last
  const receiver = await kind.open(held.projectId)
  if ('closed' in receiver) {
    run.isIdle = false
    await giveUp(
      deps.db,
      batch.map(({ id }) => id),
      receiver.closed,
    )
  } else {
    if (batch.some(({ isStale }) => isStale)) {
      run.isIdle = false
      await giveUpStale(deps, { kind, held, receiver, failures })
    }
    await sendInOrder(deps, run, receiver, batch, listedAt)
  }
  return batch.length === batchSize
}

async function sendInOrder(
  deps: SettleDeps,
  run: Run,
  receiver: Receiver,
  batch: readonly WaitingMessage[],
  listedAt: number,
) {
  const { kind, held, failures } = run
  const work: Work = { kind, held, receiver, failures }
  const isProbe = failures > 0 && kind.order !== 'none'
  const orders = inOrders(
    kind,
    batch.filter(({ isStale }) => !isStale),
  ).entries()
  const worker = async () => {
    for (const [order, messages] of orders) {
      for (const message of messages) {
        if (run.heldBack.has(order) || !(await mayGoOn(deps, run))) break
        if (!message.isDue) {
          run.heldBack.add(order)
          break
        }
        run.isIdle = false
        if (isProbe) run.isStopped = true
        const nowSec = message.nowSec + (performance.now() - listedAt) / 1_000
        if (!(await send(deps, work, message, nowSec, run.signal))) run.isStopped = true
      }
    }
  }
  // Waits for every worker, even after a failure: the claim must not end while one still sends.
  const ends = await Promise.allSettled(Array.from({ length: isProbe ? 1 : maxAtOnce }, worker))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** Groups messages that wait for each other. Events about no member are in order among themselves. */
function inOrders(
  { order }: DeliveryKind,
  messages: readonly WaitingMessage[],
): Map<string, WaitingMessage[]> {
  const orders = new Map<string, WaitingMessage[]>()
  for (const message of messages) {
    const key = order === 'none' ? message.id : order === 'member' ? (message.memberId ?? '') : ''
    const others = orders.get(key)
    if (others) others.push(message)
    else orders.set(key, [message])
  }
  return orders
}

/** Sends a message once. Returns true if the next one may follow. */
async function send(deps: SettleDeps, work: Work, message: Message, nowSec: number, signal: AbortSignal) {
  const begun = performance.now()
  const attempt = await work.receiver.send(message, nowSec, signal)
  if (attempt.outcome === 'aborted') return false
  const tookMs = performance.now() - begun
  return persistently(() => settle(deps, work, message, attempt, tookMs))
}
