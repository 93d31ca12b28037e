import type { eventDeliveries } from '@rolecall/contract'
import type { By } from '#audit/event'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../../deps.ts'
import { parseEventId } from '../position.ts'
import { toEventDelivery } from './event-delivery.ts'
import { findEventDelivery, findReceiver, requeueEvent } from './log-store.ts'

/** Sends an event again, before what waits behind it of the same member. One that still waits is left as it is. */
export async function resendEvent(
  { db, audit, eventDeliveries: sender }: Pick<Deps, 'db' | 'audit' | 'eventDeliveries'>,
  by: By,
  { projectId, eventId }: { projectId: string; eventId: string },
): Promise<eventDeliveries.EventDelivery> {
  const position = parseEventId(eventId)
  return db.transaction(async (tx) => {
    const project = await findReceiver(tx, projectId)
    if (!project) throw new ApiError('PROJECT_NOT_FOUND')
    const before = position && (await findEventDelivery(tx, projectId, position))
    if (!before) throw new ApiError('DELIVERY_NOT_FOUND')
    if (!project.isOn) throw new ApiError('EVENTS_URL_MISSING')
    if ((await requeueEvent(tx, position)) === 0) return toEventDelivery(before)
    await audit.record(tx, {
      ...by,
      actionType: 'webhook',
      action: 'events.resend',
      target: { type: 'project', id: project.id, name: project.name },
      summary: `Event ${eventId} of ${project.name} is sent again.`,
    })
    tx.afterCommit(sender.wake)
    return toEventDelivery((await findEventDelivery(tx, projectId, position)) ?? before)
  })
}
