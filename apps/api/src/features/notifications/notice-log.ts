import type { notifications } from '@rolecall/contract'
import { type DeliveryLog, toDeliveryState } from '#deliveries/delivery-log'
import { findNoticesProject } from './store.ts'

/** The list of notices that were posted to the channel of a project, and how to post one again. */
export const noticeLog: DeliveryLog<notifications.Delivery> = {
  kind: 'notice',
  findProject: findNoticesProject,
  addressMissing: 'WEBHOOK_URL_MISSING',
  keyOf: (id) => ({ id }),
  toItem: (row) => ({
    id: row.id,
    projectId: row.projectId,
    type: row.type as notifications.NotificationType,
    text: String(row.data['text']),
    ...toDeliveryState(row),
  }),
  resent: (id, name) => ({
    action: 'notification.resend',
    summary: `Notification ${id} of ${name} is sent again.`,
  }),
}
