import { Type } from 'typebox'
import { DateTime, Nullable } from './formats.ts'

/** Where a project receives its events. */
export const EventsUrl = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'Receives the events of `GET /api/events` as Standard Webhooks: https to a public host, at port 443 or from 1024 on.',
})

/** What a project’s record says of it. */
export const eventsRecord = {
  eventsUrl: Nullable(Type.String({ description: 'Where events are sent as Standard Webhooks.' })),
  eventsDisabledAt: Nullable({
    ...DateTime,
    description: 'When the service stopped sending events there; setting `eventsUrl` begins anew.',
  }),
}

/** The secret that comes with the first address. */
export const EventsSecret = Type.Optional(
  Type.String({ description: 'The signing secret of events, in the answer to the first `eventsUrl` only.' }),
)
