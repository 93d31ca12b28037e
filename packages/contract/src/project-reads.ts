import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, Snowflake } from './formats.ts'
import { Member, SessionRole } from './members.ts'

const tag = 'Reading with an API key'

/** A member as a project with the scope `read_members` sees it. */
export const ServerMember = Type.Object({
  ...Member.properties,
  email: Nullable(
    Type.String({ description: 'Only of members who have a session with the calling project; else null.' }),
  ),
  roles: Type.Array(SessionRole, { description: 'Roles in this server, highest first.' }),
  serverJoinedAt: Nullable({ ...DateTime, description: 'When they joined this server.' }),
})

const serverParams = Closed({ serverId: Snowflake })

export const listServerMembers = endpoint({
  method: 'GET',
  path: '/api/servers/{serverId}/members',
  tag,
  summary: 'Page through the current members of a server',
  description:
    'Needs the scope `read_members`. In ascending order of id: whoever is a member all the while appears ' +
    'exactly once, whatever joins or leaves between pages. Roles are those of the mirror; `syncedAt` says ' +
    'how old they are.',
  auth: 'projectKey',
  limited: true,
  params: serverParams,
  query: Closed({
    cursor: Type.Optional({ ...Snowflake, description: '`nextCursor` of the page before.' }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  }),
  answers: {
    200: Type.Object({
      data: Type.Array(ServerMember),
      nextCursor: Nullable(Type.String({ description: 'Null on the last page.' })),
    }),
  },
  refuses: ['SCOPE_REQUIRED'],
})

export const readServerMember = endpoint({
  method: 'GET',
  path: '/api/servers/{serverId}/members/{memberId}',
  tag,
  summary: 'Read one member of a server with their roles now',
  description: 'Needs the scope `read_members`. As fresh as validate.',
  auth: 'projectKey',
  limited: true,
  params: Closed({ serverId: Snowflake, memberId: Snowflake }),
  answers: { 200: ServerMember },
  refuses: ['SCOPE_REQUIRED', 'MEMBER_NOT_FOUND', 'CHAT_PLATFORM_UNAVAILABLE'],
})

const RoleIds = Type.Optional(Type.Array(Snowflake, { minItems: 1, maxItems: 100 }))

export const checkPermissions = endpoint({
  method: 'POST',
  path: '/api/servers/{serverId}/permissions/check',
  tag,
  summary: 'Does a member hold these roles right now?',
  description:
    'Needs the scope `check_permissions`. `allowed`: is a member, holds at least one of `anyOf` and each of ' +
    '`allOf`; a list that is left out asks for nothing. As fresh as validate.',
  auth: 'projectKey',
  limited: true,
  params: serverParams,
  body: Closed({ memberId: Snowflake, anyOf: RoleIds, allOf: RoleIds }),
  answers: {
    200: Type.Object({
      allowed: Type.Boolean(),
      isMember: Type.Boolean(),
      roles: Type.Array(SessionRole, { description: 'Highest first; empty for someone who is no member.' }),
    }),
  },
  refuses: ['SCOPE_REQUIRED', 'CHAT_PLATFORM_UNAVAILABLE'],
})

export type ServerMember = Static<typeof ServerMember>
export type CheckPermissions = Static<typeof checkPermissions.body>
