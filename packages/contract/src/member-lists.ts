import { type Static, Type } from 'typebox'
import { Block } from './blocks.ts'
import { Role } from './chat-servers.ts'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Snowflake } from './formats.ts'
import { schemasOf } from './member-fields.ts'

const tag = 'Members'

const Ids = Type.Optional(
  Type.Array(Snowflake, {
    maxItems: 100,
    description: 'Repeated, or separated by commas. Matches any of them.',
  }),
)

const MemberFilters = {
  filter: Type.Optional({
    ...OneOf('club', 'all'),
    default: 'all',
    description: '`club`: members of the main server; `all`: of any registered server.',
  }),
  serverId: Ids,
  roleId: Ids,
  search: Type.Optional(
    Type.String({ maxLength: 100, description: 'Part of the username or global name, case-insensitive.' }),
  ),
}

/** Filters and page of the member list. `page` counts from 1; a page has at most 100 members. */
export const MemberListQuery = Closed({
  ...MemberFilters,
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
})

/** Filters and format of the member export. */
export const MemberExportQuery = Closed({
  ...MemberFilters,
  format: Type.Optional({ ...OneOf('csv', 'json'), default: 'json' }),
})

/** A member with all registered servers that they are in now. */
export const MemberListItem = Type.Object({
  memberId: Snowflake,
  ...schemasOf('memberList'),
  isClubMember: Type.Boolean(),
  blocked: Type.Boolean({ description: 'The member is blocked and cannot have a session.' }),
  serverCount: Type.Integer(),
  servers: Type.Array(
    Type.Object({
      serverId: Snowflake,
      serverName: Type.String(),
      isMainServer: Type.Boolean(),
      roleNames: Type.Array(Type.String(), { description: 'Highest first.' }),
      roles: Type.Array(Role, { description: 'The same roles, with ID and color.' }),
      joinedAt: Nullable({ ...DateTime, description: 'The time when they joined that server.' }),
    }),
    { description: 'The main server first, then by name.' },
  ),
})

/** One membership in the export: a member in one server. */
export const MemberExportRow = Type.Object({
  memberId: Snowflake,
  ...schemasOf('memberExport'),
  isClubMember: Type.Boolean(),
  serverId: Snowflake,
  serverName: Type.String(),
  isMainServer: Type.Boolean(),
  roleNames: Type.Array(Type.String(), { description: 'Highest first. In CSV, separated by `; `.' }),
  joinedAt: Nullable({ ...DateTime, description: 'The time when they joined the server.' }),
})

const MemberPage = Type.Object({
  data: Type.Array(MemberListItem),
  page: Type.Integer(),
  limit: Type.Integer(),
  total: Type.Integer(),
  totalPages: Type.Integer(),
})

/** A member with the servers that they are in, and their roles in each. */
export const MemberServers = Type.Object({
  memberId: Snowflake,
  ...schemasOf('memberServers'),
  displayName: Nullable(Type.String({ description: 'Nickname in the first of the servers with one.' })),
  isClubMember: Type.Boolean(),
  blocked: Type.Boolean({ description: 'The member is blocked and cannot have a session.' }),
  block: Nullable(Block),
  servers: Type.Array(
    Type.Object({
      serverId: Snowflake,
      serverName: Type.String(),
      serverIcon: Nullable(Type.String()),
      isMainServer: Type.Boolean(),
      joinedAt: Nullable({ ...DateTime, description: 'The time when they joined that server.' }),
      roles: Type.Array(Role, { description: 'Highest first.' }),
      areRolesLive: Type.Boolean({
        description: 'True while the gateway reports each change of these roles.',
      }),
      rolesAsOf: {
        ...DateTime,
        description: 'Time as of which the roles are known.',
      },
    }),
  ),
})

const listing = {
  method: 'GET',
  tag,
  description:
    'Ordered by username. Only current members of registered servers. `roleId` matches members with one of the roles in ' +
    'any of their servers. `servers` always contains all servers of a member.',
  auth: 'admin',
  query: MemberListQuery,
  answers: { 200: MemberPage },
  refuses: [],
} as const

/** Lists members by username, in pages. */
export const listMembers = endpoint({ ...listing, path: '/api/admin/members', summary: 'List members' })

/** Returns the same list at the path that the specification defines for all servers. */
export const listCrossServerMembers = endpoint({
  ...listing,
  path: '/api/admin/members/cross-server',
  summary: 'List members across servers (the same list)',
})

/** Exports memberships as CSV or JSON. Refuses an administrator's third concurrent download with RATE_LIMITED. */
export const exportMembers = endpoint({
  method: 'GET',
  path: '/api/admin/members/export',
  tag,
  summary: 'Download members, one row per membership',
  description:
    'Uses the filters and the order of the list. `serverId` and `filter=club` also filter the rows. The set of members is ' +
    'fixed at one moment. The values of each member are those at the time of sending. Creates an audit entry. An admin ' +
    'can run two downloads at a time on an instance. A third is rejected with 429.',
  auth: 'admin',
  query: MemberExportQuery,
  answers: { 200: { download: ['text/csv', 'application/json'], row: MemberExportRow } },
  refuses: ['RATE_LIMITED'],
})

/** Lists the servers and roles of one member. Refuses with MEMBER_NOT_FOUND. */
export const listMemberServers = endpoint({
  method: 'GET',
  path: '/api/admin/members/{chat_user_id}/servers',
  tag,
  summary: 'A member’s servers, with the roles in each',
  auth: 'admin',
  params: Closed({ chat_user_id: Snowflake }),
  answers: { 200: MemberServers },
  refuses: ['MEMBER_NOT_FOUND'],
})

/** Reads one member from the chat platform now. Refuses with MEMBER_NOT_FOUND, CHAT_PLATFORM_UNAVAILABLE. */
export const refreshMember = endpoint({
  method: 'POST',
  path: '/api/admin/members/{chat_user_id}/refresh',
  tag,
  summary: 'Read a member again from the chat platform',
  description:
    'In all registered servers, up to 20. Returns the member after the read. Creates an audit entry. An admin can refresh ' +
    '30 members per minute.',
  auth: 'admin',
  params: Closed({ chat_user_id: Snowflake }),
  answers: { 200: MemberServers },
  refuses: ['MEMBER_NOT_FOUND', 'CHAT_PLATFORM_UNAVAILABLE'],
})

export type MemberListQuery = Static<typeof MemberListQuery>
export type MemberExportQuery = Static<typeof MemberExportQuery>
export type MemberListItem = Static<typeof MemberListItem>
export type MemberServers = Static<typeof MemberServers>
