import type { notifications } from '@rolecall/contract'
import type { DeliveryRow } from './store.ts'

/** A notification and what became of it, as admins see it. */
export const toDelivery = (row: DeliveryRow): notifications.Delivery => ({
  id: row.id,
  projectId: row.projectId,
  type: row.type,
  text: row.text,
  status: row.deliveredAt ? 'delivered' : row.failedAt ? 'failed' : 'pending',
  attempts: row.attempts,
  lastStatus: row.lastStatus,
  lastError: row.lastError,
  createdAt: row.createdAt.toISOString(),
  lastAttemptAt: row.lastAttemptAt?.toISOString() ?? null,
  nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
  deliveredAt: row.deliveredAt?.toISOString() ?? null,
  failedAt: row.failedAt?.toISOString() ?? null,
})
