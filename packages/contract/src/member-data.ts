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
  codes: records('Sign-ins of the last day that ended in a code.'),
  projectLogouts: records('The time when a project last ended all their sessions, by project.'),
  events: records('Events of the last day to projects.'),
  eventDeliveries: records('Events of the last week to webhooks of projects.'),
  consents: records('Scopes that they let projects read.'),
  clientLogouts: records('Ended sessions of which OpenID Connect clients are notified.'),
  ownedProjects: records('Projects that they manage by name.'),
  accessChanges: records('Changes of the access of projects that they made as an admin.'),
  memberSyncs: records('Reads of a server that they started.'),
  notifications: records('Messages of the last 30 days to channels of projects that name them.'),
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
    'One JSON document, for a person who requests their stored data. It omits digests of tokens and redundant columns. ' +
    'Creates an audit entry. An admin can run two downloads at a time on an instance. A third is rejected with 429.',
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
    'Ends all sessions of the member and deletes all stored data about them. Their values are removed from the audit log, ' +
    'which stays verifiable. An active block stays, without its reason. If they are still in a server, the next sync adds ' +
    'them again. This cannot be undone.',
  auth: 'admin',
  params,
  answers: { 204: null },
  refuses: ['MEMBER_NOT_FOUND', 'OWN_ACCOUNT'],
})

export type MemberData = Static<typeof MemberData>
