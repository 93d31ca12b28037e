import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { type EventName, Events } from './events.ts'
import { Closed, cursorOf, DateTime, IdOrName, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'

const tag = 'Events'

const EventDeliveryStatus = OneOf('pending', 'delivered', 'failed')

const EventDelivery = Type.Object({
  id: Type.String({ description: 'The ID of the event, sent as `webhook-id`.' }),
  projectId: Uuid,
  type: Type.Unsafe<EventName>({ type: 'string', enum: Object.keys(Events) }),
  memberId: Nullable({
    ...Snowflake,
    description: 'The member that the event is about. Events of one member are sent in order.',
  }),
  status: EventDeliveryStatus,
  attempts: Type.Integer(),
  lastStatus: Nullable(
    Type.Integer({ description: 'The HTTP status of the last response of the receiver.' }),
  ),
  lastError: Nullable(Type.String()),
  createdAt: DateTime,
  lastAttemptAt: Nullable(DateTime),
  nextAttemptAt: Nullable({
    ...DateTime,
    description: 'The earliest time of the next attempt, while the delivery is pending.',
  }),
  deliveredAt: Nullable(DateTime),
  failedAt: Nullable(DateTime),
})

const EventDeliveryQuery = Closed({
  status: Type.Optional(EventDeliveryStatus),
  cursor: Type.Optional(cursorOf('deliveryCursor', 64)),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
})

/** The options for replacing the signing secret of events. */
export const RotateEventsSecret = Closed({
  graceSec: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 604_800,
      default: 86_400,
      description:
        'The number of seconds for which events are also signed with the former secret. 0 ends the former secret ' +
        'immediately.',
    }),
  ),
})

/** Creates a signing secret and returns it, once. Refuses with PROJECT_NOT_FOUND, ENCRYPTION_KEY_MISSING. */
export const rotateEventsSecret = endpoint({
  method: 'POST',
  path: '/api/admin/projects/{id}/rotate-events-secret',
  tag,
  summary: 'Replace the signing secret for events',
  description:
    'Returns the new secret in the form of Standard Webhooks: `whsec_` and base64. For `graceSec`, each ' +
    'event is also signed with the former secret. A secret from before the former one stops working with ' +
    'this request.',
  auth: 'admin',
  owners: 'id',
  params: Closed({ id: Uuid }),
  body: RotateEventsSecret,
  bodyOptional: true,
  answers: {
    200: Type.Object({
      secret: Type.String(),
      formerEndsAt: Nullable({
        ...DateTime,
        description:
          'The time until which events are also signed with the former secret; null if there is none.',
      }),
    }),
  },
  refuses: ['PROJECT_NOT_FOUND', 'ENCRYPTION_KEY_MISSING'],
})

/** Lists the events that were sent to a project, by cursor. Refuses with PROJECT_NOT_FOUND. */
export const listEventDeliveries = endpoint({
  method: 'GET',
  path: '/api/admin/projects/{id}/event-deliveries',
  tag,
  summary: 'List events sent to the webhook of a project, newest first',
  description:
    'Returns the events for `eventsUrl` of the last seven days, sent and pending. A failed event is retried ' +
    'for 24 hours. If a receiver accepts nothing in that time, or returns 410, delivery to it is disabled: ' +
    'see `eventsDisabledAt` of the project.',
  auth: 'admin',
  owners: 'id',
  params: Closed({ id: Uuid }),
  query: EventDeliveryQuery,
  answers: { 200: Type.Object({ data: Type.Array(EventDelivery), nextCursor: Nullable(Type.String()) }) },
  refuses: ['PROJECT_NOT_FOUND'],
})

/** Queues an event again. Refuses with PROJECT_NOT_FOUND, DELIVERY_NOT_FOUND, EVENTS_URL_MISSING. */
export const resendEventDelivery = endpoint({
  method: 'POST',
  path: '/api/admin/projects/{id}/event-deliveries/{eventId}/resend',
  tag,
  summary: 'Send an event again',
  description:
    'Sends a delivered or failed event to the current address of the project, with the same `webhook-id`. A pending event ' +
    'is not changed.',
  auth: 'admin',
  owners: 'id',
  params: Closed({ id: Uuid, eventId: IdOrName }),
  answers: { 202: EventDelivery },
  refuses: ['PROJECT_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'EVENTS_URL_MISSING'],
})

export type EventDeliveryStatus = Static<typeof EventDeliveryStatus>
export type EventDelivery = Static<typeof EventDelivery>
export type EventDeliveryQuery = Static<typeof EventDeliveryQuery>
export type RotateEventsSecret = Static<typeof RotateEventsSecret>
