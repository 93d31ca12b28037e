import { type Static, Type } from 'typebox'
import { AccessMapping, Scope } from './access.ts'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'
import { Name } from './names.ts'
import { CreatedInboundWebhook, ProjectInboundWebhook, webhookBodyLimit } from './webhooks.ts'

const tag = 'Projects'

/** A key as it may be shown: never the key itself. */
export const ApiKeyInfo = Type.Object({
  prefix: Type.String(),
  status: OneOf('active', 'revoked', 'expired'),
  createdAt: DateTime,
  lastUsedAt: Nullable(DateTime),
  revokedAt: Nullable(DateTime),
})

/** A project as administrators see it. Its key and its webhook address are never whole. */
export const Project = Type.Object({
  id: Uuid,
  name: Type.String(),
  description: Nullable(Type.String()),
  isActive: Type.Boolean(),
  isInternal: Type.Boolean({ description: 'Uses the main server without a mapping.' }),
  redirectUris: Type.Array(Type.String({ pattern: '^[\\x21-\\x7e]+$' })),
  webhookUrl: Nullable(Type.String({ description: 'Masked after the host.' })),
  apiKey: ApiKeyInfo,
  serverAccess: Type.Array(AccessMapping),
  createdAt: DateTime,
  updatedAt: DateTime,
})

const Description = Type.String({ maxLength: 2000 })
const WebhookUrl = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'A webhook of the chat platform.',
})

/** A new project. Only the name is needed; it is active unless it says otherwise. */
export const CreateProject = Closed({
  name: Name,
  description: Type.Optional(Description),
  isActive: Type.Optional(Type.Boolean()),
  isInternal: Type.Optional(Type.Boolean()),
  serverAccess: Type.Optional(
    Type.Array(
      Closed({
        serverId: Snowflake,
        scopes: Type.Optional(Type.Array(Scope, { uniqueItems: true, maxItems: 2 })),
      }),
      { maxItems: 100 },
    ),
  ),
  webhookUrl: Type.Optional(WebhookUrl),
  inboundWebhook: Type.Optional(ProjectInboundWebhook),
})

/** Changes of a project: what is left out stays, null clears. */
export const UpdateProject = Closed({
  name: Type.Optional(Name),
  description: Type.Optional(Nullable(Description)),
  isActive: Type.Optional(Type.Boolean()),
  isInternal: Type.Optional(Type.Boolean()),
  webhookUrl: Type.Optional(Nullable(WebhookUrl)),
})

const ProjectId = Closed({ id: Uuid })

const Note = { ...Name, description: 'What the key is for, in words of yours.' }

/** A key that is to be made. */
export const NewKey = Closed({
  note: Type.Optional(Note),
  expiresAt: Type.Optional({ ...DateTime, description: 'From then on the key is refused.' }),
})

/** How a key is replaced. */
export const RegenerateApiKey = Closed({
  graceSec: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400,
      default: 0,
      description: 'How long the old key goes on beside the new one.',
    }),
  ),
  note: Type.Optional(Note),
  expiresAt: Type.Optional({ ...DateTime, description: 'From then on the new key is refused.' }),
})

/** One of the keys of a project: never the key itself. */
export const ProjectKey = Type.Object({
  id: Uuid,
  prefix: Type.String(),
  note: Nullable(Type.String()),
  status: {
    ...OneOf('active', 'replaced', 'revoked', 'expired'),
    description: '`replaced`: another key took its place, and it goes on until `expiresAt`.',
  },
  isNewest: Type.Boolean({ description: 'The one that is meant where only a project is named.' }),
  createdAt: DateTime,
  replacedAt: Nullable(DateTime),
  expiresAt: Nullable(DateTime),
  revokedAt: Nullable(DateTime),
  lastUsedAt: Nullable(DateTime),
  uses: Type.Integer(),
  usesSinceReplaced: Type.Integer(),
})

/** Projects, newest first, 500 at most. */
export const listProjects = endpoint({
  method: 'GET',
  path: '/api/admin/projects',
  tag,
  summary: 'List projects, newest first',
  auth: 'admin',
  query: Closed({
    isActive: Type.Optional(Type.Boolean()),
    isInternal: Type.Optional(Type.Boolean()),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Part of the name, whatever its case.' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 500 })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
  }),
  answers: { 200: Type.Object({ data: Type.Array(Project), total: Type.Integer() }) },
  refuses: [],
})

/** Registers a project and shows its key, once. Refuses with PROJECT_NAME_TAKEN, ENCRYPTION_KEY_MISSING. */
export const createProject = endpoint({
  method: 'POST',
  path: '/api/admin/projects',
  tag,
  summary: 'Register a project',
  description:
    'The API key is in this answer and nowhere else. Without `serverAccess` the project may use the main ' +
    'server with all scopes; with an empty list, none.',
  auth: 'admin',
  body: CreateProject,
  bodyLimit: webhookBodyLimit,
  answers: {
    201: Type.Object({
      project: Project,
      apiKey: Type.String(),
      inboundWebhook: Type.Optional(CreatedInboundWebhook),
    }),
  },
  refuses: ['PROJECT_NAME_TAKEN', 'ENCRYPTION_KEY_MISSING', 'RATE_LIMITED'],
})

/** One project. Refuses with PROJECT_NOT_FOUND, SECRET_UNREADABLE, ENCRYPTION_KEY_MISSING. */
export const getProject = endpoint({
  method: 'GET',
  path: '/api/admin/projects/{id}',
  tag,
  summary: 'One project',
  auth: 'admin',
  description:
    'A `webhookUrl` that was sealed under another key is reported here, as `SECRET_UNREADABLE`; it can be set anew. ' +
    'Without any key it is `ENCRYPTION_KEY_MISSING`.',
  params: ProjectId,
  answers: { 200: Project },
  refuses: ['PROJECT_NOT_FOUND', 'SECRET_UNREADABLE', 'ENCRYPTION_KEY_MISSING'],
})

/** Changes a project. Refuses with PROJECT_NOT_FOUND, PROJECT_NAME_TAKEN, ENCRYPTION_KEY_MISSING. */
export const updateProject = endpoint({
  method: 'PATCH',
  path: '/api/admin/projects/{id}',
  tag,
  summary: 'Change a project',
  description: 'What is left out stays; null clears. An inactive project can neither log in nor validate.',
  auth: 'admin',
  params: ProjectId,
  body: UpdateProject,
  bodyLimit: 64 * 1024,
  answers: { 200: Project },
  refuses: ['PROJECT_NOT_FOUND', 'PROJECT_NAME_TAKEN', 'ENCRYPTION_KEY_MISSING'],
})

/** Ends a project, its key and its sessions. Refuses with PROJECT_NOT_FOUND. */
export const deleteProject = endpoint({
  method: 'DELETE',
  path: '/api/admin/projects/{id}',
  tag,
  summary: 'Delete a project',
  description: 'Its key and sessions end at once; its history stays.',
  auth: 'admin',
  params: ProjectId,
  answers: { 204: null },
  refuses: ['PROJECT_NOT_FOUND'],
})

/** Prefix and state of the newest key, never the key. Refuses with PROJECT_NOT_FOUND. */
export const getApiKey = endpoint({
  method: 'GET',
  path: '/api/admin/projects/{id}/api-key',
  tag,
  summary: 'Prefix and state of the newest key',
  auth: 'admin',
  params: ProjectId,
  answers: { 200: ApiKeyInfo },
  refuses: ['PROJECT_NOT_FOUND'],
})

/** Stops the key for the next request. Refuses with PROJECT_NOT_FOUND. */
export const revokeApiKey = endpoint({
  method: 'DELETE',
  path: '/api/admin/projects/{id}/key',
  tag,
  summary: 'Revoke the key',
  description: 'It stops working for the next request. Revoking a revoked key changes nothing.',
  auth: 'admin',
  params: ProjectId,
  answers: { 204: null },
  refuses: ['PROJECT_NOT_FOUND'],
})

/** Takes a revocation back. Refuses with PROJECT_NOT_FOUND, NO_REVOKED_KEY. */
export const restoreApiKey = endpoint({
  method: 'POST',
  path: '/api/admin/projects/{id}/restore-key',
  tag,
  summary: 'Bring the newest key back after it was revoked',
  auth: 'admin',
  params: ProjectId,
  answers: { 204: null },
  refuses: ['PROJECT_NOT_FOUND', 'NO_REVOKED_KEY'],
})

/** Replaces the newest key and shows the new one, once. Refuses with PROJECT_NOT_FOUND, API_KEY_LIMIT_REACHED. */
export const regenerateApiKey = endpoint({
  method: 'POST',
  path: '/api/admin/projects/{id}/regenerate-api-key',
  tag,
  summary: 'Replace the key',
  description:
    'The old key stops working at once, or after `graceSec`, and never comes back. The new one is in this answer only. ' +
    'Revoking the new one ends both; replacing it without `graceSec` does, too.',
  auth: 'admin',
  params: ProjectId,
  body: RegenerateApiKey,
  bodyOptional: true,
  answers: {
    200: Type.Object({
      apiKey: Type.String(),
      prefix: Type.String(),
      createdAt: DateTime,
      replaced: Type.Optional(
        Type.Object(
          { prefix: Type.String(), endsAt: DateTime },
          { description: 'The old key, where it goes on for a while.' },
        ),
      ),
    }),
  },
  refuses: ['PROJECT_NOT_FOUND', 'API_KEY_LIMIT_REACHED'],
})

/** The keys of a project: those that work, and the last ones that do not. Refuses with PROJECT_NOT_FOUND. */
export const listApiKeys = endpoint({
  method: 'GET',
  path: '/api/admin/projects/{id}/keys',
  tag,
  summary: 'List the keys of a project',
  description: 'Those that work first, then by age, newest first; 50 at most. Uses arrive within a second.',
  auth: 'admin',
  params: ProjectId,
  answers: { 200: Type.Object({ data: Type.Array(ProjectKey), total: Type.Integer() }) },
  refuses: ['PROJECT_NOT_FOUND'],
})

/** Adds a key and shows it, once. Refuses with PROJECT_NOT_FOUND, API_KEY_LIMIT_REACHED. */
export const addApiKey = endpoint({
  method: 'POST',
  path: '/api/admin/projects/{id}/keys',
  tag,
  summary: 'Add a key',
  description:
    'It works beside those that are there, up to five, and is the newest from then on: the one that the other endpoints ' +
    'mean where they name none.',
  auth: 'admin',
  params: ProjectId,
  body: NewKey,
  bodyOptional: true,
  answers: {
    201: Type.Object({ id: Uuid, apiKey: Type.String(), prefix: Type.String(), createdAt: DateTime }),
  },
  refuses: ['PROJECT_NOT_FOUND', 'API_KEY_LIMIT_REACHED'],
})

/** Stops one key for the next request. Refuses with PROJECT_NOT_FOUND, API_KEY_NOT_FOUND. */
export const revokeOneApiKey = endpoint({
  method: 'DELETE',
  path: '/api/admin/projects/{id}/keys/{keyId}',
  tag,
  summary: 'Revoke one key',
  description:
    'It stops working for the next request, and so do those that it took the place of and that still went on.',
  auth: 'admin',
  params: Closed({ id: Uuid, keyId: Uuid }),
  answers: { 204: null },
  refuses: ['PROJECT_NOT_FOUND', 'API_KEY_NOT_FOUND'],
})

/** Replaces the list of redirect URIs. Refuses with PROJECT_NOT_FOUND. */
export const setRedirectUris = endpoint({
  method: 'PATCH',
  path: '/api/admin/projects/{id}/redirect-uri',
  tag,
  summary: 'Set the redirect URIs',
  description: 'One URI or a comma-separated list, at most 20, in ASCII; the whole list is replaced.',
  auth: 'admin',
  params: ProjectId,
  body: Closed({ redirectUri: Type.String({ minLength: 1, maxLength: 65_536 }) }),
  bodyLimit: 128 * 1024,
  answers: { 200: Project },
  refuses: ['PROJECT_NOT_FOUND'],
})

export type Project = Static<typeof Project>
export type CreateProject = Static<typeof CreateProject>
export type UpdateProject = Static<typeof UpdateProject>
export type ApiKeyInfo = Static<typeof ApiKeyInfo>
export type NewKey = Static<typeof NewKey>
export type RegenerateApiKey = Static<typeof RegenerateApiKey>
export type ProjectKey = Static<typeof ProjectKey>
