import type { ChatPost } from '#chat/chat-webhook'
import { deliveryBackOffMs } from '#platform/outbound/delivery-back-off'
import type { Deps } from '../../deps.ts'
import {
  giveUpOld,
  type Held,
  type NextMessage,
  removeAddress,
  settleDelivered,
  settleFailed,
  settleLater,
} from './queue-store.ts'

type SettleDeps = Pick<Deps, 'db' | 'audit'>

/** Longest pause that the platform is believed: a day later everything that waits is over anyhow. */
const maxPauseMs = 24 * 60 * 60_000

const pauseAfter = ({ failures }: NextMessage) => deliveryBackOffMs(failures + 1)

/** Writes down what became of a try. True when the next message may follow at once. */
export async function settle(
  deps: SettleDeps,
  held: Held,
  message: NextMessage,
  post: ChatPost,
): Promise<boolean> {
  const pauseMs = Math.min(post.pauseMs ?? 0, maxPauseMs)
  if (post.outcome === 'delivered') {
    await settleDelivered(deps.db, held, message.id, post, pauseMs)
    return pauseMs === 0
  }
  if (post.outcome === 'gone') return disable(deps, held, message, post)
  if (post.outcome === 'refused') return giveUpOne(deps, held, message, post)
  await tryLater(deps, held, message, post, Math.max(pauseMs, post.pauseMs ? 0 : pauseAfter(message)))
  return false
}

/** The platform says that there is no such webhook: it is not asked again. An address set meanwhile is tried. */
async function disable({ db, audit }: SettleDeps, held: Held, message: NextMessage, post: ChatPost) {
  await db.transaction(async (tx) => {
    if (!message.sealed || (await removeAddress(tx, held.projectId, message.sealed)) === 0) {
      await settleLater(tx, held, message.id, post, pauseAfter(message))
      return
    }
    await settleFailed(tx, held, message.id, post)
    await audit.record(tx, {
      actionType: 'webhook',
      action: 'notification.disable',
      severity: 'warning',
      target: targetOf(held, message),
      summary: `The webhook of ${message.projectName} is gone: its address was removed. ${post.error}`,
      changes: { webhookUrl: { before: message.host, after: null } },
    })
  })
  return false
}

/** A message that the platform does not take, however often. */
async function giveUpOne({ db, audit }: SettleDeps, held: Held, message: NextMessage, post: ChatPost) {
  await db.transaction(async (tx) => {
    await settleFailed(tx, held, message.id, post)
    await audit.record(tx, {
      actionType: 'webhook',
      action: 'notification.give-up',
      severity: 'error',
      target: targetOf(held, message),
      summary: `A notification of ${message.projectName} was refused and given up. ${post.error}`,
    })
  })
  return true
}

/** Tries again after a pause. After a day in vain, what has waited as long is given up, with one entry for all. */
async function tryLater(
  { db, audit }: SettleDeps,
  held: Held,
  message: NextMessage,
  post: ChatPost,
  pauseMs: number,
) {
  await db.transaction(async (tx) => {
    const queue = await settleLater(tx, held, message.id, post, pauseMs)
    const count = queue?.isOver ? await giveUpOld(tx, held.projectId) : 0
    if (count === 0) return
    const what = count === 1 ? 'A notification' : `${count} notifications`
    await audit.record(tx, {
      actionType: 'webhook',
      action: 'notification.give-up',
      severity: 'error',
      target: targetOf(held, message),
      summary: `${what} of ${message.projectName} could not be delivered for 24 hours. ${post.error}`,
    })
  })
}

const targetOf = ({ projectId }: Held, { projectName }: NextMessage) => ({
  type: 'project',
  id: projectId,
  name: projectName,
})
