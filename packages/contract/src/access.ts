import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'

const tag = 'Project-server access'

/** What a project may read of a server with its API key. */
export const Scope = OneOf('read_members', 'check_permissions')

export const Scopes = Type.Array(Scope, { uniqueItems: true, maxItems: 2 })

const Operations = Type.Object({
  READ: Type.Boolean({ description: 'Logins and sessions for this server.' }),
  SEND_MESSAGES: Type.Boolean({ description: 'Notifications may be posted for this server.' }),
  MANAGE_WEBHOOKS: Type.Boolean({ description: 'The project manages its own inbound webhooks by key.' }),
})

/** What one project may do with one server. */
export const AccessMapping = Type.Object({
  projectId: Uuid,
  projectName: Type.String(),
  projectIsActive: Type.Boolean(),
  serverId: Snowflake,
  serverName: Type.String(),
  isMainServer: Type.Boolean(),
  operations: Operations,
  scopes: Type.Array(Scope),
  createdAt: DateTime,
  updatedAt: DateTime,
})

const MappingList = Type.Object({ data: Type.Array(AccessMapping), total: Type.Integer() })

/** Lists answer everything they have; who has more than a screen of it may ask for less. */
const Paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 10_000 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: 0 })),
}

export const listServersOfProject = endpoint({
  method: 'GET',
  path: '/api/admin/projects/{projectId}/servers',
  tag,
  summary: 'List the servers that a project may use, newest mapping first',
  auth: 'admin',
  params: Closed({ projectId: Uuid }),
  query: Closed({ scope: Type.Optional(Scope), ...Paging }),
  answers: { 200: MappingList },
  refuses: ['PROJECT_NOT_FOUND'],
})

export const listProjectsOfServer = endpoint({
  method: 'GET',
  path: '/api/admin/projects/servers/{serverId}/projects',
  tag,
  summary: 'List the projects that may use a server, newest mapping first',
  auth: 'admin',
  params: Closed({ serverId: Snowflake }),
  query: Closed({ scope: Type.Optional(Scope), isActive: Type.Optional(Type.Boolean()), ...Paging }),
  answers: { 200: MappingList },
  refuses: ['SERVER_NOT_FOUND'],
})

const mappingParams = Closed({ projectId: Uuid, serverId: Snowflake })

export const setAccess = endpoint({
  method: 'PUT',
  path: '/api/admin/projects/{projectId}/servers/{serverId}',
  tag,
  summary: 'Let a project use a server, or change how',
  description:
    'A new mapping has READ and all scopes unless told otherwise; of an existing one, whatever is left out ' +
    'stays as it is. A call that changes nothing leaves no trace in the trail.',
  auth: 'admin',
  params: mappingParams,
  body: Closed({
    operations: Type.Optional(
      Closed({
        READ: Type.Optional(Type.Boolean()),
        SEND_MESSAGES: Type.Optional(Type.Boolean()),
        MANAGE_WEBHOOKS: Type.Optional(Type.Boolean()),
      }),
    ),
    scopes: Type.Optional(Scopes),
  }),
  answers: { 200: AccessMapping },
  refuses: ['PROJECT_NOT_FOUND', 'SERVER_NOT_FOUND'],
})

export const revokeAccess = endpoint({
  method: 'DELETE',
  path: '/api/admin/projects/{projectId}/servers/{serverId}',
  tag,
  summary: 'Take a server away from a project',
  description:
    'Logins and sessions of the project for this server stop at once. Answers the mapping as it was.',
  auth: 'admin',
  params: mappingParams,
  answers: { 200: AccessMapping },
  refuses: ['PROJECT_NOT_FOUND', 'SERVER_NOT_FOUND', 'ACCESS_NOT_FOUND'],
})

export const accessMatrix = endpoint({
  method: 'GET',
  path: '/api/admin/projects/access/matrix',
  tag,
  summary: 'List every mapping of a project to a server, newest first',
  auth: 'admin',
  query: Closed({
    projectId: Type.Optional(Uuid),
    serverId: Type.Optional(Snowflake),
    scope: Type.Optional(Scope),
    projectName: Type.Optional(
      Type.String({ maxLength: 100, description: 'Part of the project’s name, in any case.' }),
    ),
    ...Paging,
  }),
  answers: { 200: MappingList },
  refuses: [],
})

const TrailAction = OneOf('GRANT', 'UPDATE', 'REVOKE')
const MappingState = Type.Object({ operations: Operations, scopes: Type.Array(Scope) })

/** One change of what a project may do with a server. */
export const AccessTrailEntry = Type.Object({
  id: Uuid,
  at: DateTime,
  action: TrailAction,
  projectId: Uuid,
  projectName: Type.String({ description: 'As it was called then.' }),
  serverId: Snowflake,
  serverName: Type.String({ description: 'As it was called then.' }),
  actorId: Nullable(Type.String({ description: 'Member id; null when the service did it itself.' })),
  actorUsername: Nullable(Type.String()),
  before: Nullable(MappingState),
  after: Nullable(MappingState),
})

export const accessTrail = endpoint({
  method: 'GET',
  path: '/api/admin/projects/access/audit',
  tag,
  summary: 'List every change of access, newest first',
  description: 'The mappings that a project is created with are grants too.',
  auth: 'admin',
  query: Closed({
    projectId: Type.Optional(Uuid),
    serverId: Type.Optional(Snowflake),
    action: Type.Optional(TrailAction),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
  }),
  answers: {
    200: Type.Object({
      data: Type.Array(AccessTrailEntry),
      total: Type.Integer({ description: 'Entries that the filters let through.' }),
    }),
  },
  refuses: [],
})

export type Scope = Static<typeof Scope>
export type Operations = Static<typeof Operations>
export type AccessMapping = Static<typeof AccessMapping>
export type AccessTrailEntry = Static<typeof AccessTrailEntry>
export type SetAccess = Static<typeof setAccess.body>
