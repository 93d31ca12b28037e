import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Snowflake } from './formats.ts'
import { schemasOf } from './member-fields.ts'
import { SessionRole } from './members.ts'
import { patterns } from './patterns.ts'

const tag = 'Members, for projects'

/** A member of one server, as a project with the scope `read_members` sees it. */
export const ServerMember = Type.Object({
  memberId: Snowflake,
  ...schemasOf('serverMember'),
  joinedAt: Nullable({
    ...DateTime,
    description:
      'The time at which the member joined this server. In `member` of a session, `joinedAt` is the time at ' +
      'which the account was created.',
  }),
  roles: Type.Array(SessionRole),
})

/** A former member of a server. */
export const RemovedMember = Type.Object({ memberId: Snowflake, leftAt: DateTime })

/**
 * Lists the current members of a server by cursor, or the changes since a cursor. Refuses with SCOPE_REQUIRED,
 * CURSOR_UNKNOWN.
 */
export const listServerMembers = endpoint({
  method: 'GET',
  path: '/api/servers/{serverId}/members',
  tag,
  summary: 'List the members of a server',
  description:
    'Requires the scope `read_members`. `nextCursor` is null on the last page. To keep a copy of the members ' +
    'up to date, store `changeCursor` of the first page, read all pages, and then request the changes with ' +
    '`changedSince`, each time with the latest `changeCursor`. In a response with changes, `data` contains ' +
    'the members who changed or joined, and `removed` the members who left. If a role of the server has ' +
    'changed, `roles` contains all its roles. No change is missed, but a change can come twice. While ' +
    '`hasMore` is true, send the next request immediately. After a person is erased, the cursor is rejected ' +
    'with CURSOR_UNKNOWN: read all pages again, and delete members who are not listed.',
  auth: 'projectKey',
  needs: 'read_members',
  params: Closed({ serverId: Snowflake }),
  query: Closed({
    cursor: Type.Optional(Snowflake),
    changedSince: Type.Optional(
      Type.String({
        pattern: patterns.changeCursor.pattern,
        maxLength: 2_000,
        description: 'The latest `changeCursor`. Send either this or `cursor`.',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  }),
  answers: {
    200: Type.Object({
      data: Type.Array(ServerMember),
      nextCursor: Nullable(Snowflake),
      changeCursor: Type.Optional(
        Type.String({
          description:
            'The cursor for the next `changedSince`. Only on the first page, and in responses to `changedSince`.',
        }),
      ),
      removed: Type.Optional(Type.Array(RemovedMember)),
      roles: Type.Optional(Type.Array(SessionRole)),
      hasMore: Type.Optional(Type.Boolean()),
    }),
  },
  refuses: ['SCOPE_REQUIRED', 'CURSOR_UNKNOWN'],
})

/**
 * Returns one member of a server, with their current roles. Refuses with SCOPE_REQUIRED, MEMBER_NOT_FOUND,
 * CHAT_PLATFORM_UNAVAILABLE.
 */
export const getServerMember = endpoint({
  method: 'GET',
  path: '/api/servers/{serverId}/members/{memberId}',
  tag,
  summary: 'Read a member of a server',
  description: 'Requires the scope `read_members`. The roles are as current as in `validate`.',
  auth: 'projectKey',
  needs: 'read_members',
  params: Closed({ serverId: Snowflake, memberId: Snowflake }),
  answers: { 200: ServerMember },
  refuses: ['SCOPE_REQUIRED', 'MEMBER_NOT_FOUND', 'CHAT_PLATFORM_UNAVAILABLE'],
})

const RoleIds = Type.Array(Snowflake, { minItems: 1, maxItems: 100 })

/** Checks whether a member has roles at this moment. Refuses with SCOPE_REQUIRED, CHAT_PLATFORM_UNAVAILABLE. */
export const checkPermissions = endpoint({
  method: 'POST',
  path: '/api/servers/{serverId}/permissions/check',
  isRead: true,
  tag,
  summary: 'Check whether a member holds roles now',
  description:
    'Requires the scope `check_permissions`. With `anyOf`, the member needs at least one of the roles, and ' +
    'with `allOf` every one of them. Without both, it is enough to be a member. A blocked member is never ' +
    'allowed.',
  auth: 'projectKey',
  needs: 'check_permissions',
  params: Closed({ serverId: Snowflake }),
  body: Closed({
    memberId: Snowflake,
    anyOf: Type.Optional(RoleIds),
    allOf: Type.Optional(RoleIds),
  }),
  answers: {
    200: Type.Object({ allowed: Type.Boolean(), isMember: Type.Boolean(), roles: Type.Array(SessionRole) }),
  },
  refuses: ['SCOPE_REQUIRED', 'CHAT_PLATFORM_UNAVAILABLE'],
})

/** The result for one of several members, with the source of their roles. */
export const CheckedMember = Type.Object({
  memberId: Snowflake,
  allowed: Type.Boolean(),
  isMember: Type.Boolean(),
  roles: Type.Array(SessionRole),
  rolesSource: {
    ...OneOf('gateway', 'rest', 'mirror'),
    description:
      '`gateway`: the roles are live. `rest`: they were read within `permissionTtlMs`. `mirror`: they are ' +
      'older, and were not read again.',
  },
  rolesAsOf: Nullable({
    ...DateTime,
    description:
      'The time at which the roles were known to be current. Null if the member is unknown; then `allowed` and ' +
      '`isMember` are false.',
  }),
})

/** Checks the roles of several members in the stored data, without querying Discord. Refuses with SCOPE_REQUIRED. */
export const checkManyPermissions = endpoint({
  method: 'POST',
  path: '/api/servers/{serverId}/permissions/check-many',
  isRead: true,
  tag,
  summary: 'Check whether up to 1,000 members hold roles',
  description:
    'Requires the scope `check_permissions`. Returns the same results as `permissions/check`, in the order ' +
    'of `memberIds`, but never asks Discord: roles that are not live come from the last known ' +
    'state, as `rolesSource` and `rolesAsOf` show. To get the current roles of a member, check this member ' +
    'alone.',
  auth: 'projectKey',
  needs: 'check_permissions',
  params: Closed({ serverId: Snowflake }),
  body: Closed({
    memberIds: Type.Array(Snowflake, { minItems: 1, maxItems: 1_000, uniqueItems: true }),
    anyOf: Type.Optional(RoleIds),
    allOf: Type.Optional(RoleIds),
  }),
  bodyLimit: 64 * 1024,
  answers: { 200: Type.Object({ data: Type.Array(CheckedMember) }) },
  refuses: ['SCOPE_REQUIRED'],
})

export type ServerMember = Static<typeof ServerMember>
export type CheckedMember = Static<typeof CheckedMember>
