import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { type EventName, Events } from './events.ts'
import { Closed, DateTime, IdOrName, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'
import { patterns } from './patterns.ts'

const tag = 'Events'

const EventDeliveryStatus = OneOf('pending', 'delivered', 'failed')

const EventDelivery = Type.Object({
  id: Type.String({ description: 'The id of the event, which is sent as `webhook-id`.' }),
  projectId: Uuid,
  type: Type.Unsafe<EventName>({ type: 'string', enum: Object.keys(Events) }),
  memberId: Nullable({
    ...Snowflake,
    description: 'The member that the event is about. Events of one member are sent in their order.',
  }),
  status: EventDeliveryStatus,
  attempts: Type.Integer(),
  lastStatus: Nullable(Type.Integer({ description: 'Status of the receiver’s last answer.' })),
  lastError: Nullable(Type.String()),
  createdAt: DateTime,
  lastAttemptAt: Nullable(DateTime),
  nextAttemptAt: Nullable({ ...DateTime, description: 'While it is pending: not before then.' }),
  deliveredAt: Nullable(DateTime),
  failedAt: Nullable(DateTime),
})

const EventDeliveryQuery = Closed({
  status: Type.Optional(EventDeliveryStatus),
  cursor: Type.Optional(
    Type.String({
      pattern: patterns.deliveryCursor.pattern,
      maxLength: 64,
      description: '`nextCursor` of the page before.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
})

/** The options for replacing the signing secret of events. */
export const RotateEventsSecret = Closed({
  graceSec: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 604_800,
      default: 86_400,
      description: 'How long events are signed with the former secret, too.',
    }),
  ),
})

/** Creates a signing secret and returns it, once. Refuses with PROJECT_NOT_FOUND, ENCRYPTION_KEY_MISSING. */
export const rotateEventsSecret = endpoint({
  method: 'POST',
  path: '/api/admin/projects/{id}/rotate-events-secret',
  tag,
  summary: 'Make another signing secret for events',
  description:
    'Standard Webhooks: `whsec_` and base64. For `graceSec`, a day by default, each event carries a signature by the ' +
    'former secret beside the one by this; `0` ends the former one at once. A secret before the former one ends with this.',
  auth: 'admin',
  owners: 'id',
  params: Closed({ id: Uuid }),
  body: RotateEventsSecret,
  bodyOptional: true,
  answers: {
    200: Type.Object({
      secret: Type.String(),
      formerEndsAt: Nullable({ ...DateTime, description: 'Until then the former secret signs, too.' }),
    }),
  },
  refuses: ['PROJECT_NOT_FOUND', 'ENCRYPTION_KEY_MISSING'],
})

/** Lists the events that were sent to a project, by cursor. Refuses with PROJECT_NOT_FOUND. */
export const listEventDeliveries = endpoint({
  method: 'GET',
  path: '/api/admin/projects/{id}/event-deliveries',
  tag,
  summary: 'Events sent to the webhook of a project, newest first',
  description:
    'Events of the last seven days for `eventsUrl`, sent or waiting. An event is tried for 24 hours; a receiver that ' +
    'took nothing for so long, or that answers 410, is switched off: `eventsDisabledAt` of the project.',
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
    'Delivered or failed, it is sent to the address that the project has now, under the same `webhook-id`. One that is ' +
    'still pending is left as it is.',
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
