import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, Snowflake } from './formats.ts'

const tag = 'Members'

const Record = Type.Record(Type.String(), Type.Unknown())
const records = (description: string) => Type.Array(Record, { description })

/** All stored data about a person, by kind. */
export const MemberData = Type.Object({
  memberId: Snowflake,
  readAt: DateTime,
  profile: { ...Record, description: 'Names, picture, and verified email address, with their dates.' },
  lastSeenAt: Nullable({ ...DateTime, description: 'The time of the last sign-in or refresh.' }),
  block: Nullable({ ...Record, description: 'Blocks, current and former.' }),
  memberships: records('Servers, present and former, with nickname and roles.'),
  roleChanges: records('Roles that they received or lost in the last 30 days.'),
  sessions: records('Sessions, live and ended, with address and browser. Tokens are not stored.'),
  singleSignOn: records('Browsers with single sign-on.'),
  codes: records('Sign-ins of the last day that issued a code.'),
  projectLogouts: records('For each project, the last time when it ended all their sessions.'),
  events: records('Events of the last day to projects.'),
  eventDeliveries: records('Events of the last week to webhooks of projects.'),
  consents: records('The scopes that they allow projects to read.'),
  clientLogouts: records('Ended sessions for which OpenID Connect clients receive a logout token.'),
  ownedProjects: records('Projects that name them as an owner.'),
  accessChanges: records('Changes of the access of projects that they made as administrators.'),
  memberSyncs: records('Syncs of servers that they started.'),
  notifications: records('Notices of the last 30 days that name them, to channels of projects.'),
  authFailures: records('Rejected requests of the last 30 days with a valid session.'),
  settingsWrittenAt: Nullable({
    ...DateTime,
    description: 'The time when they changed the settings, if they were the last to do so.',
  }),
  auditEntries: records(
    'Their actions, and actions that affected them, newest first. The actor is named only if it was themselves.',
  ),
})

const params = Closed({ id: Snowflake })

/** Returns all stored data about a person. Refuses with MEMBER_NOT_FOUND. */
export const getMemberData = endpoint({
  method: 'GET',
  path: '/api/admin/members/{id}/data',
  tag,
  summary: 'Download all stored data about a person',
  description:
    'Returns one JSON document, for a person who asks for their data. It omits digests of tokens and ' +
    'redundant columns. Creates an audit entry. Each administrator can run two downloads at a time on each ' +
    'instance of the service. A third download is rejected with 429.',
  auth: 'admin',
  params,
  asFile: true,
  answers: { 200: MemberData },
  refuses: ['MEMBER_NOT_FOUND', 'RATE_LIMITED'],
})

/** Erases a person. Refuses with MEMBER_NOT_FOUND, OWN_ACCOUNT. */
export const eraseMember = endpoint({
  method: 'DELETE',
  path: '/api/admin/members/{id}',
  tag,
  summary: 'Erase all stored data about a person',
  description:
    'Ends all sessions of the member, and deletes all stored data about them. This cannot be undone. In the ' +
    'audit log, their data is removed from the entries, and the log can still be verified. An active block ' +
    'stays, without its reason. If the member is still in a server, the next sync adds them again.',
  auth: 'admin',
  params,
  answers: { 204: null },
  refuses: ['MEMBER_NOT_FOUND', 'OWN_ACCOUNT'],
})

export type MemberData = Static<typeof MemberData>
