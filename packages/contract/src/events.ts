import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'

const tag = 'Events'

const memberId = { ...Snowflake, description: 'The ID of the member.' }
const serverId = { ...Snowflake, description: 'The ID of the Discord server.' }
const ofSession = {
  sessionId: { ...Uuid, description: 'The `session.id` that `validate` returns.' },
  memberId,
  serverId,
}
const ofMember = { memberId, serverId }
const prefix = Type.String({ description: 'The beginning of the key, by which the console shows it.' })
const at = { at: { ...DateTime, description: 'The time of the event.' } }

/** The `data` of each event, by the event's name. It never contains a token. */
export const Events = {
  'session.revoked': Type.Object(
    {
      ...ofSession,
      reason: {
        ...Nullable(
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
        description: 'Why the session ended. Accept values that you do not know.',
      },
      ...at,
    },
    { description: 'A session has ended before it expired. Sign the member out in your app.' },
  ),
  'session.rotated': Type.Object(
    {
      ...ofSession,
      expiresAt: { ...DateTime, description: 'The new expiry of the session.' },
      ...at,
    },
    { description: 'The tokens of a session were refreshed. The old tokens no longer work.' },
  ),
  'member.roles_changed': Type.Object(
    { ...ofMember, ...at },
    { description: 'The roles of a member have changed. Call `validate` to get the new roles.' },
  ),
  'member.left': Type.Object(
    { ...ofMember, ...at },
    { description: 'A member is no longer in a server. Their sessions in this server end.' },
  ),
  'member.blocked': Type.Object(
    {
      memberId,
      until: Nullable({
        ...DateTime,
        description:
          'The end of the block; null if it lasts until it is removed. No event is sent at this time.',
      }),
      ...at,
    },
    {
      description:
        'An admin has blocked a member, or changed the end of the block. The sessions of the member end.',
    },
  ),
  'member.unblocked': Type.Object(
    { memberId, ...at },
    { description: 'An admin has ended a block early. The member can sign in again.' },
  ),
  'member.erased': Type.Object(
    { memberId, ...at },
    { description: 'An admin has erased a member. Delete the data that you store about them.' },
  ),
  'project.disabled': Type.Object(
    {
      projectId: { ...Uuid, description: 'The ID of your project.' },
      reason: {
        ...OneOf('deactivated', 'deleted', 'key_revoked', 'key_regenerated'),
        description: 'What happened to the project, or to its last key.',
      },
      ...at,
    },
    { description: 'The project was deactivated or deleted, or its last key has ended. The stream ends.' },
  ),
  'key.ending': Type.Object(
    { prefix, endsAt: { ...DateTime, description: 'The time at which the key stops working.' }, ...at },
    {
      description:
        'A key of the project will stop working at `endsAt`. Give your programs the new key before then.',
    },
  ),
  'key.ended': Type.Object(
    {
      prefix,
      reason: {
        ...OneOf('revoked', 'regenerated', 'expired'),
        description: 'Why the key ended. `regenerated` means that it was replaced.',
      },
      ...at,
    },
    {
      description:
        'A key has ended, and the project still has a valid key. Streams that use the ended key end within a minute.',
    },
  ),
  reset: Type.Object(
    {
      reason: {
        ...OneOf('unknown_id', 'too_far_behind', 'access_changed', 'groups_changed'),
        description: 'Why your state may be out of date.',
      },
      ...at,
    },
    { description: 'The state that you have stored may be out of date. Discard it.' },
  ),
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
