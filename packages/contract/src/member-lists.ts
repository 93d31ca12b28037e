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
    description:
      'One or several IDs, separated by commas or in repeated parameters. Matches members with any of them.',
  }),
)

const MemberFilters = {
  filter: Type.Optional({
    ...OneOf('club', 'all'),
    default: 'all',
    description: '`club` lists members of the main server, and `all` members of any registered server.',
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
  blocked: Type.Boolean({ description: 'True if the member is blocked, and so has no session.' }),
  serverCount: Type.Integer(),
  servers: Type.Array(
    Type.Object({
      serverId: Snowflake,
      serverName: Type.String(),
      isMainServer: Type.Boolean(),
      roleNames: Type.Array(Type.String(), { description: 'Highest first.' }),
      roles: Type.Array(Role, { description: 'The roles of `roleNames`, with ID and color.' }),
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
  displayName: Nullable(
    Type.String({ description: 'The nickname in the first of `servers` in which the member has one.' }),
  ),
  isClubMember: Type.Boolean(),
  blocked: Type.Boolean({ description: 'True if the member is blocked, and so has no session.' }),
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
        description: 'The time at which the roles were known to be current.',
      },
    }),
  ),
})

const listing = {
  method: 'GET',
  tag,
  description:
    'Returns the current members of registered servers, by username. `roleId` matches members who have one ' +
    'of the roles in any of their servers. `servers` contains all servers of a member, regardless of the ' +
    'filters.',
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
  summary: 'List members across servers (the same list as `/api/admin/members`)',
})

/** Exports memberships as CSV or JSON. Refuses an administrator's third concurrent download with RATE_LIMITED. */
export const exportMembers = endpoint({
  method: 'GET',
  path: '/api/admin/members/export',
  tag,
  summary: 'Download members, one row per membership',
  description:
    'Uses the filters and the order of the member list. `serverId` and `filter=club` also leave out rows of ' +
    'other servers. Members who join during the download are not included, and each row contains the values ' +
    'at the time of sending. Creates an audit entry. Each administrator can run two downloads at a time on ' +
    'each instance of the service. A third download is rejected with 429.',
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
  summary: 'List the servers of a member, with the roles in each',
  auth: 'admin',
  params: Closed({ chat_user_id: Snowflake }),
  answers: { 200: MemberServers },
  refuses: ['MEMBER_NOT_FOUND'],
})

/** Reads one member from Discord now. Refuses with MEMBER_NOT_FOUND, CHAT_PLATFORM_UNAVAILABLE. */
export const refreshMember = endpoint({
  method: 'POST',
  path: '/api/admin/members/{chat_user_id}/refresh',
  tag,
  summary: 'Read a member again from Discord',
  description:
    'Reads the member in all registered servers, up to 20, and returns the result. Creates an audit entry. ' +
    'Each administrator can refresh 30 members per minute.',
  auth: 'admin',
  params: Closed({ chat_user_id: Snowflake }),
  answers: { 200: MemberServers },
  refuses: ['MEMBER_NOT_FOUND', 'CHAT_PLATFORM_UNAVAILABLE'],
})

export type MemberListQuery = Static<typeof MemberListQuery>
export type MemberExportQuery = Static<typeof MemberExportQuery>
export type MemberListItem = Static<typeof MemberListItem>
export type MemberServers = Static<typeof MemberServers>
