import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'

const tag = 'Events'

const ofSession = { sessionId: Uuid, memberId: Snowflake, serverId: Snowflake }
const ofMember = { memberId: Snowflake, serverId: Snowflake }
const at = { at: DateTime }

/** The `data` of each event, by the event's name. It never contains a token. */
export const Events = {
  'session.revoked': Type.Object({
    ...ofSession,
    reason: Nullable(
      OneOf(
        'logout',
        'logout_all',
        'revoked',
        'code_reused',
        'refresh_token_reused',
        'member_left',
        'server_removed',
        'member_blocked',
        'member_erased',
        'token_revoked',
      ),
    ),
    ...at,
  }),
  'session.rotated': Type.Object({ ...ofSession, expiresAt: DateTime, ...at }),
  'member.roles_changed': Type.Object({ ...ofMember, ...at }),
  'member.left': Type.Object({ ...ofMember, ...at }),
  'member.blocked': Type.Object({ memberId: Snowflake, until: Nullable(DateTime), ...at }),
  'member.unblocked': Type.Object({ memberId: Snowflake, ...at }),
  'member.erased': Type.Object({ memberId: Snowflake, ...at }),
  'project.disabled': Type.Object({
    projectId: Uuid,
    reason: OneOf('deactivated', 'deleted', 'key_revoked', 'key_regenerated'),
    ...at,
  }),
  'key.ending': Type.Object({ prefix: Type.String(), endsAt: DateTime, ...at }),
  'key.ended': Type.Object({
    prefix: Type.String(),
    reason: OneOf('revoked', 'regenerated', 'expired'),
    ...at,
  }),
  reset: Type.Object({
    reason: OneOf('unknown_id', 'too_far_behind', 'access_changed', 'groups_changed'),
    ...at,
  }),
}

/** Streams the events of the calling project as Server-Sent Events, each at least once. */
export const streamEvents = endpoint({
  method: 'GET',
  path: '/api/events',
  tag,
  summary: 'Stream of changes of your sessions and members',
  description:
    'Server-Sent Events, in the order in which they happened, each at least once. With `Last-Event-ID` the stream ' +
    'goes on after that event, for 24 hours; an id that is older or unknown is answered with the event `reset` ' +
    'first: forget what you keep, you may have missed something. `reset` also comes when a project gains or loses a ' +
    'server, and when its names of groups change. `member.roles_changed` and `member.left` are told to projects that hold a live session of that member ' +
    'in that server; `member.blocked` and `member.unblocked` to those that have had one of them, as far as is on record. ' +
    'A block that ends by itself was told with its `until`. `member.erased` comes to every project that had a session, a consent, or ' +
    'an event of the member: delete what you keep about them. Every `heartbeat` seconds comes a comment with a number: everything that happened up to so ' +
    'many milliseconds after the opening of the stream has been sent. After `project.disabled` the stream ends. ' +
    '`key.ending` comes an hour before a replaced key ends, a week before one that was given an end, and `key.ended` when a ' +
    'key has ended while others go on: a stream that was opened with it ends then, within a minute. ' +
    'A client that does not read is cut off, and goes on with its last id.',
  auth: 'projectKey',
  headers: Type.Object({
    'Last-Event-ID': Type.Optional(Type.String({ description: 'The `id` of the last event that you have.' })),
  }),
  query: Closed({
    heartbeat: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 60, default: 15, description: 'Seconds between heartbeats.' }),
    ),
  }),
  answers: { 200: { events: Events } },
  refuses: [],
})

/** The names of the events: `session.revoked`, `member.left` and others. */
export type EventName = keyof typeof Events

/** One event of the stream: its ID, its name, and the data of that name. */
export type Event = {
  [Name in EventName]: {
    readonly id: string
    readonly type: Name
    readonly data: Static<(typeof Events)[Name]>
  }
}[EventName]
