import type { notifications } from '@rolecall/contract'
import { toDeliveryState } from '../delivery-state.ts'
import type { DeliveryRow } from './store.ts'

/** A notification and what became of it, as admins see it. */
export const toDelivery = (row: DeliveryRow): notifications.Delivery => ({
  id: row.id,
  projectId: row.projectId,
  type: row.type,
  text: row.text,
  ...toDeliveryState(row),
})
