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
  summary: 'Stream the changes of your sessions and members',
  description:
    'Sends Server-Sent Events in order, each at least once. To resume after a lost connection, send the last ' +
    'ID that you received in `Last-Event-ID`, within 24 hours. If the ID is older or unknown, the first ' +
    'event is `reset`: clear your cache, because you may have missed events. `reset` also comes when the ' +
    'project loses a server, and when its group names change. `member.roles_changed` and ' +
    '`member.left` go to projects with a live session of the member in that server. `member.blocked` and ' +
    '`member.unblocked` go to projects with a live or ended session of the member. If a block expires, no ' +
    'event is sent: `until` in `member.blocked` was its end. `member.erased` goes to every project with a ' +
    'session, a consent, or an event of the member: delete your data about them. `key.ending` is sent an ' +
    'hour before a replaced key expires, and a week before a key with a set expiry. `key.ended` is sent when ' +
    'a key was revoked, was replaced, or has expired, and the streams that use it end within a minute. ' +
    '`project.disabled` is sent when the project has no valid key, or was deactivated or deleted. The stream ' +
    'then ends. Every `heartbeat` seconds, the stream sends a comment with a number. All events up to that ' +
    'number of milliseconds after the stream opened have been sent. A client that does not read is ' +
    'disconnected, and can resume with its last ID.',
  auth: 'projectKey',
  headers: Type.Object({
    'Last-Event-ID': Type.Optional(
      Type.String({ description: 'The `id` of the last event that you received.' }),
    ),
  }),
  query: Closed({
    heartbeat: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 60,
        default: 15,
        description: 'The number of seconds between heartbeats.',
      }),
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
