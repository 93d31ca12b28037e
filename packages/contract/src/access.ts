import { type Static, Type } from 'typebox'
import { ChangeQuery, DryRun } from './dry-run.ts'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'

const tag = 'Project-server access'

/** The permissions of a project to read the members of a server, or to check their roles. */
export const Scope = OneOf('read_members', 'check_permissions')

/** The operations that a project may perform in a server: read, post messages, manage its inbound webhooks. */
export const Operations = Type.Object({
  READ: Type.Boolean(),
  SEND_MESSAGES: Type.Boolean(),
  MANAGE_WEBHOOKS: Type.Boolean(),
})

/** The access of one project to one server: a mapping, and a row of the matrix. */
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

const Mappings = Type.Object({ data: Type.Array(AccessMapping), total: Type.Integer() })

const Grant = Type.Object({ operations: Operations, scopes: Type.Array(Scope) })

/** One entry in the history of access changes. */
export const AccessChange = Type.Object({
  id: Uuid,
  at: DateTime,
  action: OneOf('GRANT', 'UPDATE', 'REVOKE'),
  projectId: Uuid,
  projectName: Type.String(),
  serverId: Snowflake,
  serverName: Type.String(),
  actorId: Nullable(Type.String()),
  actorUsername: Nullable(Type.String()),
  before: Nullable(Grant),
  after: Nullable(Grant),
})

const PartialOperations = Closed({
  READ: Type.Optional(Type.Boolean()),
  SEND_MESSAGES: Type.Optional(Type.Boolean()),
  MANAGE_WEBHOOKS: Type.Optional(Type.Boolean()),
})

const Scopes = Type.Array(Scope, { uniqueItems: true, maxItems: 2 })

/** Lists the mappings of one project. Refuses with PROJECT_NOT_FOUND. */
export const listProjectServers = endpoint({
  method: 'GET',
  path: '/api/admin/projects/{projectId}/servers',
  tag,
  summary: 'List the servers to which a project has access',
  auth: 'admin',
  params: Closed({ projectId: Uuid }),
  query: Closed({ scope: Type.Optional(Scope) }),
  answers: { 200: Mappings },
  refuses: ['PROJECT_NOT_FOUND'],
})

/** Lists the mappings to one server. Refuses with SERVER_NOT_FOUND. */
export const listServerProjects = endpoint({
  method: 'GET',
  path: '/api/admin/projects/servers/{serverId}/projects',
  tag,
  summary: 'List the projects that have access to a server',
  auth: 'admin',
  params: Closed({ serverId: Snowflake }),
  query: Closed({ scope: Type.Optional(Scope), isActive: Type.Optional(Type.Boolean()) }),
  answers: { 200: Mappings },
  refuses: ['SERVER_NOT_FOUND'],
})

/**
 * Creates or changes a mapping; the same request again changes nothing. Refuses with PROJECT_NOT_FOUND,
 * SERVER_NOT_FOUND.
 */
export const setAccess = endpoint({
  method: 'PUT',
  path: '/api/admin/projects/{projectId}/servers/{serverId}',
  tag,
  summary: 'Grant or change the access of a project to a server',
  description:
    'Omitted operations and scopes keep their values. New access has READ and all scopes. A request that ' +
    'changes nothing adds nothing to the list of access changes or to the audit log.',
  auth: 'admin',
  params: Closed({ projectId: Uuid, serverId: Snowflake }),
  query: ChangeQuery,
  body: Closed({ operations: Type.Optional(PartialOperations), scopes: Type.Optional(Scopes) }),
  answers: { 200: Type.Union([AccessMapping, DryRun]) },
  refuses: ['PROJECT_NOT_FOUND', 'SERVER_NOT_FOUND'],
})

/** Deletes a mapping and returns its last state. Refuses with ACCESS_NOT_FOUND. */
export const revokeAccess = endpoint({
  method: 'DELETE',
  path: '/api/admin/projects/{projectId}/servers/{serverId}',
  tag,
  summary: 'Revoke the access of a project to a server',
  description:
    'Returns the access as it was. The sessions of the project in this server end immediately, and members ' +
    'can no longer sign in there. An internal project keeps its access to the main server.',
  auth: 'admin',
  params: Closed({ projectId: Uuid, serverId: Snowflake }),
  query: ChangeQuery,
  answers: { 200: Type.Union([AccessMapping, DryRun]) },
  refuses: ['ACCESS_NOT_FOUND'],
})

/** Lists all mappings, filtered by project, server or scope. */
export const accessMatrix = endpoint({
  method: 'GET',
  path: '/api/admin/projects/access/matrix',
  tag,
  summary: 'List the access of all projects to all servers',
  auth: 'admin',
  query: Closed({
    projectId: Type.Optional(Uuid),
    serverId: Type.Optional(Snowflake),
    scope: Type.Optional(Scope),
    projectName: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  }),
  answers: { 200: Mappings },
  refuses: [],
})

/** Lists the changes of mappings, with the administrator and the state before and after; newest first, at most 500. */
export const accessTrail = endpoint({
  method: 'GET',
  path: '/api/admin/projects/access/audit',
  tag,
  summary: 'List access changes, newest first',
  description: 'Returns each change with the administrator who made it, and the access before and after it.',
  auth: 'admin',
  query: Closed({
    projectId: Type.Optional(Uuid),
    serverId: Type.Optional(Snowflake),
    action: Type.Optional(OneOf('GRANT', 'UPDATE', 'REVOKE')),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
  }),
  answers: { 200: Type.Object({ data: Type.Array(AccessChange), total: Type.Integer() }) },
  refuses: [],
})

export type Scope = Static<typeof Scope>
export type Operations = Static<typeof Operations>
export type AccessMapping = Static<typeof AccessMapping>
export type AccessChange = Static<typeof AccessChange>
