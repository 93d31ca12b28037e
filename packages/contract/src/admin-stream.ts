import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { OneOf, Snowflake, Uuid } from './formats.ts'

const some = (what: string) => ({
  description: `At most 50 IDs. If \`more\` is true, there were others: read ${what} again.`,
})
const More = Type.Boolean()

/**
 * The `data` of each event of the administration, by the event's name. It names the objects to read again, and nothing
 * else.
 */
export const AdminEvents = {
  'audit.appended': Type.Object({ entryIds: Type.Array(Uuid, some('the log')), more: More }),
  'members.changed': Type.Object({
    serverIds: Type.Array(Snowflake),
    memberIds: Type.Array(Snowflake, some('the list')),
    more: More,
  }),
  'sync.changed': Type.Object({ serverIds: Type.Array(Snowflake, some('the servers')), more: More }),
  'delivery.changed': Type.Object({ projectIds: Type.Array(Uuid, some('the deliveries')), more: More }),
  'health.changed': Type.Object({ status: OneOf('ok', 'degraded') }),
  reset: Type.Object({ reason: OneOf('unknown_id', 'too_far_behind') }),
}

/** Streams changes to an open page of the console. Refuses with RATE_LIMITED. */
export const streamAdminEvents = endpoint({
  method: 'GET',
  path: '/api/admin/stream',
  tag: 'Monitoring',
  summary: 'Stream the IDs of records that changed',
  description:
    'Sends Server-Sent Events about changes on all instances, collected for one second. An event names the ' +
    'records that changed, and never contains their values: read them again. To resume after a lost ' +
    'connection, send the last ID that you received in `Last-Event-ID`, within an hour. If the stream cannot ' +
    'resume there, the first event is `reset`: read everything again. An event can come twice. Every 15 ' +
    'seconds, the stream sends a comment. The stream ends with the session, and when its member is no longer ' +
    'an administrator. A session can have four streams. A fifth ends the first. An instance can have 200 ' +
    'streams, and rejects others with 429.',
  auth: 'admin',
  headers: Type.Object({
    'Last-Event-ID': Type.Optional(
      Type.String({ description: 'The `id` of the last event that you received.' }),
    ),
  }),
  answers: { 200: { events: AdminEvents } },
  refuses: ['RATE_LIMITED'],
})

/** The names of the events: `audit.appended`, `sync.changed` and others. */
export type AdminEventName = keyof typeof AdminEvents

/** One event of the stream: its name, and the data of that name. */
export type AdminEvent = {
  [Name in AdminEventName]: { readonly type: Name; readonly data: Static<(typeof AdminEvents)[Name]> }
}[AdminEventName]
