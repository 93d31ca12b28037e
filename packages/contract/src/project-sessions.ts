import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, CursorPage, cursorOf, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'
import { schemasOf } from './member-fields.ts'

const tag = 'Sessions'

/**
 * A live session of a project as an administrator sees it: its member, its server, its creation and its last refresh.
 */
export const ProjectSession = Type.Object({
  id: Uuid,
  kind: {
    ...OneOf('code', 'oidc'),
    description:
      '`code`: created with a one-time code, including the sign-in to a protected host. `oidc`: created with ' +
      'OpenID Connect.',
  },
  memberId: Snowflake,
  ...schemasOf('projectSession'),
  serverId: Snowflake,
  serverName: Type.String(),
  createdAt: DateTime,
  refreshedAt: {
    ...DateTime,
    description:
      'The time when the current tokens were issued, at the sign-in or at a refresh. Session checks are not ' +
      'recorded.',
  },
  expiresAt: DateTime,
  clientInfo: Type.Object(
    { ipAddress: Nullable(Type.String()), userAgent: Nullable(Type.String()) },
    { description: 'The browser for which the session was created.' },
  ),
})

const ProjectSessionQuery = Closed({
  memberId: Type.Optional({ ...Snowflake, description: 'Only sessions of this member.' }),
  serverId: Type.Optional({ ...Snowflake, description: 'Only sessions in this server.' }),
  cursor: Type.Optional(cursorOf('momentCursor', 60)),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
})

/** Lists the live sessions of a project, newest first, by cursor. Refuses with PROJECT_NOT_FOUND. */
export const listProjectSessions = endpoint({
  method: 'GET',
  path: '/api/admin/projects/{id}/sessions',
  tag,
  summary: 'List the sessions of a project, newest first',
  description:
    'Returns only valid sessions: no sessions of members who left or are blocked, in servers without READ ' +
    'access, or of an inactive project. To end a session, use `DELETE ' +
    '/api/admin/members/{id}/sessions/{sessionId}`.',
  auth: 'admin',
  params: Closed({ id: Uuid }),
  query: ProjectSessionQuery,
  answers: { 200: CursorPage(ProjectSession) },
  refuses: ['PROJECT_NOT_FOUND'],
})

export type ProjectSession = Static<typeof ProjectSession>
export type ProjectSessionQuery = Static<typeof ProjectSessionQuery>
