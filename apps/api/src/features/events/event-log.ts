import type { eventDeliveries } from '@rolecall/contract'
import { type DeliveryLog, toDeliveryState } from '#deliveries/delivery-log'
import type { DeliveryRow } from '#deliveries/log-store'
import { findEventsProject } from './endpoint-store.ts'
import { parseEventId, toEventId } from './position.ts'

type Item = eventDeliveries.EventDelivery

/** The list of events that were sent to the webhook of a project, and how to send one again. */
export const eventLog: DeliveryLog<Item> = {
  kind: 'event',
  findProject: findEventsProject,
  addressMissing: 'EVENTS_URL_MISSING',
  keyOf: (id) => {
    const position = parseEventId(id)
    return position && { xid: `${position.xid}`, place: position.id }
  },
  toItem,
  resent: (id, name) => ({ action: 'events.resend', summary: `Event ${id} of ${name} is sent again.` }),
}

function toItem(row: DeliveryRow): Item {
  return {
    id: toEventId({ xid: BigInt(row.xid), id: row.place, atSec: row.atSec }),
    projectId: row.projectId,
    type: row.type as Item['type'],
    memberId: row.memberId,
    ...toDeliveryState(row),
  }
}
