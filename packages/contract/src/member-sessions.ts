import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, IdOrName, Nullable, Snowflake } from './formats.ts'
import { SessionListItem } from './sessions.ts'

const tag = 'Sessions'

/** A session as an administrator sees it, with the name of its project. */
export const MemberSession = Type.Object({
  ...SessionListItem.properties,
  projectName: Nullable(Type.String()),
  clientInfo: Type.Object(
    { ipAddress: Nullable(Type.String()), userAgent: Nullable(Type.String()) },
    { description: 'The browser for which the session was created.' },
  ),
})

/** Lists the live sessions of a member, newest first. Refuses with MEMBER_NOT_FOUND. */
export const listMemberSessions = endpoint({
  method: 'GET',
  path: '/api/admin/members/{id}/sessions',
  tag,
  summary: 'List the sessions of a member, newest first',
  description: 'Returns the sessions in all projects, admin sessions, and the single sign-on of browsers.',
  auth: 'admin',
  params: Closed({ id: Snowflake }),
  answers: { 200: Type.Object({ sessions: Type.Array(MemberSession) }) },
  refuses: ['MEMBER_NOT_FOUND'],
})

/** Ends one session of a member. Refuses with SESSION_NOT_FOUND, also for another member’s session. */
export const revokeMemberSession = endpoint({
  method: 'DELETE',
  path: '/api/admin/members/{id}/sessions/{sessionId}',
  tag,
  summary: 'End one session of a member',
  auth: 'admin',
  params: Closed({ id: Snowflake, sessionId: IdOrName }),
  answers: { 204: null },
  refuses: ['SESSION_NOT_FOUND'],
})

export type MemberSession = Static<typeof MemberSession>
