import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { OneOf, Snowflake, Uuid } from './formats.ts'

const some = (what: string) => ({
  description: `At most 50; \`more\` says that there were others, so read ${what} anew.`,
})
const More = Type.Boolean()

/**
 * The `data` of each event of the administration, by the event's name. It contains only the IDs of the objects that the
 * console must read again.
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

/** Notifies open pages of the console of changes, as Server-Sent Events. Refuses with RATE_LIMITED. */
export const streamAdminEvents = endpoint({
  method: 'GET',
  path: '/api/admin/stream',
  tag: 'Monitoring',
  summary: 'Stream of changes: IDs of records to read again',
  description:
    'Server-Sent Events of all instances, collected for a second. An event names the changed records and never contains ' +
    'their values. With `Last-Event-ID`, the stream resumes within an hour. If that is not possible, `reset` comes first: ' +
    'read everything again. ' +
    'An event can come twice. A comment comes every 15 seconds. The stream ends with the session, and when its member is ' +
    'no longer an administrator. A session has at most four streams, and a fifth ends the first. An instance has at most ' +
    '200 and rejects more with 429.',
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
