import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, CursorPage, cursorOf, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'

/** A role that a member received or lost, or a sign-in. */
export const MemberHistoryEntry = Type.Object({
  id: Uuid,
  at: {
    ...DateTime,
    description: 'The time of the sign-in, or the time when the service learned of the role change.',
  },
  kind: OneOf('role_added', 'role_removed', 'signed_in'),
  server: Nullable(
    Type.Object({ id: Snowflake, name: Type.String() }, { description: 'Null for sign-ins to the console.' }),
  ),
  role: Nullable(
    Type.Object(
      {
        id: Snowflake,
        name: Nullable(Type.String({ description: 'Null if the role was deleted.' })),
        color: Nullable(Type.Integer({ description: 'Decimal RGB; null means no color.' })),
      },
      { description: 'Null for sign-ins.' },
    ),
  ),
  project: Nullable(
    Type.Object(
      { id: Uuid, name: Type.String() },
      { description: 'Null for changes of roles and for sign-ins to the console.' },
    ),
  ),
})

const MemberHistoryQuery = Closed({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(cursorOf('momentCursor', 60)),
})

/** Lists the role changes and sign-ins of a member, newest first. Refuses with MEMBER_NOT_FOUND. */
export const listMemberHistory = endpoint({
  method: 'GET',
  path: '/api/admin/members/{id}/history',
  tag: 'Members',
  summary: 'List role changes and sign-ins of a member, the newest first',
  description:
    'Returns the last 30 days. The roles with which a member joins a server, or returns to it, are not ' +
    'listed as changes. A sign-in to a project is listed until its session is deleted, 7 days after it would ' +
    'expire.',
  auth: 'admin',
  params: Closed({ id: Snowflake }),
  query: MemberHistoryQuery,
  answers: { 200: CursorPage(MemberHistoryEntry) },
  refuses: ['MEMBER_NOT_FOUND'],
})

export type MemberHistoryEntry = Static<typeof MemberHistoryEntry>
export type MemberHistoryQuery = Static<typeof MemberHistoryQuery>
