import type { eventDeliveries } from '@rolecall/contract'
import { toDeliveryState } from '../../delivery-state.ts'
import { toEventId } from '../position.ts'
import type { EventDeliveryRow } from './log-store.ts'

/** An event and what became of it, as admins see it. */
export const toEventDelivery = (row: EventDeliveryRow): eventDeliveries.EventDelivery => ({
  id: toEventId({ xid: BigInt(row.xid), id: row.eventId, atSec: row.atSec }),
  projectId: row.projectId,
  type: row.type,
  memberId: row.memberId,
  ...toDeliveryState(row),
})
