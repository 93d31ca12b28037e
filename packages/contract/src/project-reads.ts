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
      'The time when they joined this server. In a session’s `member` it is the time when the account was created.',
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
    'Requires the scope `read_members`. `nextCursor` is null on the last page. To follow a server, keep the `changeCursor` of the ' +
    'first page, read all pages, and then send `changedSince` with the latest `changeCursor`. `data` contains members who ' +
    'changed or joined, and `removed` those who left. If a role of the server changed, `roles` contains all its roles. No ' +
    'change is missed, but a change can be reported twice. While `hasMore` is true, send the next request immediately. ' +
    'After a person is erased, the cursor is rejected with CURSOR_UNKNOWN. Start again, and delete members who are not listed.',
  auth: 'projectKey',
  needs: 'read_members',
  params: Closed({ serverId: Snowflake }),
  query: Closed({
    cursor: Type.Optional(Snowflake),
    changedSince: Type.Optional(
      Type.String({
        pattern: patterns.changeCursor.pattern,
        maxLength: 2_000,
        description: 'A `changeCursor`; not together with `cursor`.',
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
            'On the first page and with `changedSince`: the cursor for the next request for changes.',
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
  description: 'Requires the scope `read_members`. Roles are as live as in validate.',
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
    'Requires the scope `check_permissions`. `anyOf` requires at least one role, and `allOf` every role. With neither, ' +
    'membership is enough. A blocked member is never allowed.',
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
      '`gateway`: live. `rest`: read within `permissionTtlMs`. `mirror`: older, and not read again.',
  },
  rolesAsOf: Nullable({
    ...DateTime,
    description: 'Null if nothing is known. Then `allowed` and `isMember` are false.',
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
    'Requires the scope `check_permissions`. The results are as in `permissions/check`, in the order of `memberIds`, with ' +
    'one difference: the chat platform is not queried. Outdated roles come from the mirror, as `rolesSource` and ' +
    '`rolesAsOf` show. For current roles, check that member alone.',
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
