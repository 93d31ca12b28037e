import { Type } from 'typebox'
import { DateTime, Nullable } from './formats.ts'

/** The URL to which a project's events are posted. */
export const EventsUrl = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'Receives the events of `GET /api/events` as Standard Webhooks: https to a public host, with port 443 or at least 1024.',
})

/** The fields about it in a project's record. */
export const eventsRecord = {
  eventsUrl: Nullable(Type.String({ description: 'The address that receives events as Standard Webhooks.' })),
  eventsDisabledAt: Nullable({
    ...DateTime,
    description: 'The time when the service stopped sending events there; setting `eventsUrl` starts again.',
  }),
}

/** The signing secret, returned only when the first URL is set. */
export const EventsSecret = Type.Optional(
  Type.String({
    description: 'The signing secret of events. Only in the response to the first `eventsUrl`.',
  }),
)
