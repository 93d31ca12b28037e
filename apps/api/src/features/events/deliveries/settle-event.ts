import type { Answered } from '#platform/outbound/create-post'
import { deliveryBackOffMs } from '#platform/outbound/delivery-back-off'
import type { Deps } from '../../../deps.ts'
import {
  disableEndpoint,
  type Endpoint,
  giveUpOld,
  type Held,
  settleDelivered,
  settleFailed,
  settleLater,
  type Try,
  type WaitingEvent,
} from './queue-store.ts'

type SettleDeps = Pick<Deps, 'db' | 'audit'>

/** A receiver that takes longer shares its turns with those that fail. */
const slowMs = 2_000
/** Longest pause that a receiver is believed. */
const maxRetryAfterSec = 60 * 60

/** Writes down what became of a try. True when the next event may follow at once. */
export async function settle(
  deps: SettleDeps,
  held: Held,
  endpoint: Endpoint & { url: string },
  event: WaitingEvent,
  { status, error: failure, retryAfter, tookMs }: Answered,
): Promise<boolean> {
  if (status !== null && status >= 200 && status < 300) {
    await settleDelivered(deps.db, held, event.eventId, { status, error: null }, tookMs > slowMs)
    return true
  }
  const done = { status, error: failure ?? errorOf(status) }
  if (status === 410) await switchOff(deps, held, endpoint, event, done)
  else await tryLater(deps, held, endpoint, event, done, retryAfterMs(retryAfter))
  return false
}

const errorOf = (status: number | null) =>
  status !== null && status >= 300 && status < 400
    ? `The receiver answered ${status}; redirects are not followed.`
    : `The receiver answered ${status}.`

/** Seconds only: a date would need the receiver's clock. */
const retryAfterMs = (header: string | undefined) =>
  header !== undefined && /^\d{1,9}$/.test(header) ? Math.min(Number(header), maxRetryAfterSec) * 1_000 : 0

/** The receiver says that it is gone: it is not asked again. An address set meanwhile is tried. */
async function switchOff(
  { db, audit }: SettleDeps,
  held: Held,
  endpoint: Endpoint & { url: string },
  event: WaitingEvent,
  done: Try,
) {
  await db.transaction(async (tx) => {
    if ((await disableEndpoint(tx, held.projectId, endpoint.url)) === 0) {
      await settleLater(tx, held, event.eventId, done, {
        eventMs: deliveryBackOffMs(event.attempts + 1),
        endpointMs: 1_000,
      })
      return
    }
    await settleFailed(tx, event.eventId, done)
    await audit.record(
      tx,
      disabled(held, endpoint, 'warning', `the receiver says that it is gone. ${done.error}`),
    )
  })
}

/** Tries again after a pause. After a day in vain the event is given up; where nothing was taken for a day, the receiver. */
async function tryLater(
  { db, audit }: SettleDeps,
  held: Held,
  endpoint: Endpoint & { url: string },
  event: WaitingEvent,
  done: Try,
  askedMs: number,
) {
  await db.transaction(async (tx) => {
    const failing = await settleLater(tx, held, event.eventId, done, {
      eventMs: Math.max(askedMs, deliveryBackOffMs(event.attempts + 1)),
      endpointMs: Math.max(askedMs, deliveryBackOffMs(endpoint.failures + 1)),
    })
    if (failing?.isEndpointOver && (await disableEndpoint(tx, held.projectId, endpoint.url)) > 0) {
      await audit.record(
        tx,
        disabled(held, endpoint, 'error', `nothing was taken for 24 hours. ${done.error}`),
      )
    } else if (failing?.isEventOver) {
      await settleFailed(tx, event.eventId, done)
      await audit.record(
        tx,
        gaveUp(
          held,
          endpoint,
          `An event of ${endpoint.projectName} was not taken for 24 hours and is given up. ${done.error}`,
        ),
      )
    }
  })
}

/** Gives up what waited behind a receiver that takes less than there is; one entry for all. */
export const giveUpStale = ({ db, audit }: SettleDeps, held: Held, endpoint: Endpoint) =>
  db.transaction(async (tx) => {
    const count = await giveUpOld(
      tx,
      held.projectId,
      'It waited for 72 hours: the receiver takes less than there is.',
    )
    const what = count === 1 ? 'An event' : `${count} events`
    if (count > 0)
      await audit.record(
        tx,
        gaveUp(held, endpoint, `${what} of ${endpoint.projectName} waited for 72 hours and were given up.`),
      )
    return count
  })

const targetOf = ({ projectId }: Held, { projectName }: Endpoint) => ({
  type: 'project',
  id: projectId,
  name: projectName,
})

const disabled = (
  held: Held,
  endpoint: Endpoint & { url: string },
  severity: 'warning' | 'error',
  why: string,
) =>
  ({
    actionType: 'webhook',
    action: 'events.disable',
    severity,
    target: targetOf(held, endpoint),
    summary: `Events of ${endpoint.projectName} are no longer sent to ${new URL(endpoint.url).origin}: ${why}`,
  }) as const

const gaveUp = (held: Held, endpoint: Endpoint, summary: string) =>
  ({
    actionType: 'webhook',
    action: 'events.give-up',
    severity: 'error',
    target: targetOf(held, endpoint),
    summary,
  }) as const
