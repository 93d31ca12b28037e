import type { notifications } from '@rolecall/contract'
import type { By } from '#audit/event'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { toDelivery } from './delivery.ts'
import { findDelivery, findProject, requeueDelivery } from './store.ts'

/** Posts a delivery again, behind everything that waits. One that still waits is left as it is. */
export async function resendDelivery(
  { db, audit, notifications }: Pick<Deps, 'db' | 'audit' | 'notifications'>,
  by: By,
  { projectId, deliveryId }: { projectId: string; deliveryId: string },
): Promise<notifications.Delivery> {
  return db.transaction(async (tx) => {
    const project = await findProject(tx, projectId)
    if (!project) throw new ApiError('PROJECT_NOT_FOUND')
    const before = await findDelivery(tx, projectId, deliveryId)
    if (!before) throw new ApiError('DELIVERY_NOT_FOUND')
    if (!project.hasAddress) throw new ApiError('WEBHOOK_URL_MISSING')
    if ((await requeueDelivery(tx, deliveryId)) === 0) return toDelivery(before)
    await audit.record(tx, {
      ...by,
      actionType: 'webhook',
      action: 'notification.resend',
      target: { type: 'project', id: project.id, name: project.name },
      summary: `Notification ${deliveryId} of ${project.name} is sent again.`,
    })
    tx.afterCommit(notifications.wake)
    return toDelivery((await findDelivery(tx, projectId, deliveryId)) ?? before)
  })
}
