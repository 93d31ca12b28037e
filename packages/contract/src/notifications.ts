import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Uuid } from './formats.ts'

const tag = 'Notifications'

const NotificationType = OneOf(
  'key.regenerated',
  'key.revoked',
  'key.restored',
  'key.added',
  'key.ending',
  'access.granted',
  'access.updated',
  'access.revoked',
  'project.deactivated',
  'events.disabled',
  'submission.received',
)

const DeliveryStatus = OneOf('pending', 'delivered', 'failed')

const Delivery = Type.Object({
  id: Uuid,
  projectId: Uuid,
  type: NotificationType,
  text: Type.String({ description: 'The text of the notice.' }),
  status: DeliveryStatus,
  attempts: Type.Integer(),
  lastStatus: Nullable(Type.Integer({ description: 'The HTTP status of the last response from Discord.' })),
  lastError: Nullable(Type.String()),
  createdAt: DateTime,
  lastAttemptAt: Nullable(DateTime),
  nextAttemptAt: Nullable({
    ...DateTime,
    description:
      'The earliest time of the next attempt, while the delivery is pending. Older notices of the project are ' +
      'sent first.',
  }),
  deliveredAt: Nullable(DateTime),
  failedAt: Nullable(DateTime),
})

const DeliveryQuery = Closed({
  status: Type.Optional(DeliveryStatus),
  cursor: Type.Optional({ ...Uuid, description: '`nextCursor` of the previous page.' }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
})

/** Lists the notices that a project received in the last 30 days, by cursor. Refuses with PROJECT_NOT_FOUND. */
export const listDeliveries = endpoint({
  method: 'GET',
  path: '/api/admin/projects/{id}/deliveries',
  tag,
  summary: 'List notices to the webhook of a project, newest first',
  description: 'Returns the notices for `webhookUrl` of the last 30 days, sent and pending.',
  auth: 'admin',
  owners: 'id',
  params: Closed({ id: Uuid }),
  query: DeliveryQuery,
  answers: { 200: Type.Object({ data: Type.Array(Delivery), nextCursor: Nullable(Uuid) }) },
  refuses: ['PROJECT_NOT_FOUND'],
})

/** Queues a notice again. Refuses with PROJECT_NOT_FOUND, DELIVERY_NOT_FOUND, WEBHOOK_URL_MISSING. */
export const resendDelivery = endpoint({
  method: 'POST',
  path: '/api/admin/projects/{id}/deliveries/{deliveryId}/resend',
  tag,
  summary: 'Send a notice again',
  description:
    'Adds a delivered or failed notice to the end of the queue of its project, for the current address. A pending notice ' +
    'is not changed.',
  auth: 'admin',
  owners: 'id',
  params: Closed({ id: Uuid, deliveryId: Uuid }),
  answers: { 202: Delivery },
  refuses: ['PROJECT_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'WEBHOOK_URL_MISSING'],
})

export type NotificationType = Static<typeof NotificationType>
export type DeliveryStatus = Static<typeof DeliveryStatus>
export type Delivery = Static<typeof Delivery>
export type DeliveryQuery = Static<typeof DeliveryQuery>
