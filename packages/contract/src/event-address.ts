import { Type } from 'typebox'
import { DateTime, Nullable } from './formats.ts'

/** The URL to which a project's events are posted. */
export const EventsUrl = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'The address that receives the events of `GET /api/events` as Standard Webhooks. It must use HTTPS and a ' +
    'public host, with port 443 or a port of 1024 or above.',
})

/** The fields about it in a project's record. */
export const eventsRecord = {
  eventsUrl: Nullable(Type.String({ description: 'The address that receives events as Standard Webhooks.' })),
  eventsDisabledAt: Nullable({
    ...DateTime,
    description:
      'The time when the service disabled the delivery of events. To enable it again, set `eventsUrl`.',
  }),
}

/** The signing secret, returned only when the first URL is set. */
export const EventsSecret = Type.Optional(
  Type.String({
    description:
      'The signing secret of events. Only the response that sets the first `eventsUrl` contains it.',
  }),
)
