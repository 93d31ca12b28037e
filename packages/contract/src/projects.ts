import { type Static, Type } from 'typebox'
import { AccessMapping, Scopes } from './access.ts'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'

const tag = 'Projects'

export const ApiKeyInfo = Type.Object({
  prefix: Type.String({ description: 'The part of the key that may be shown.' }),
  status: OneOf('active', 'revoked'),
  createdAt: DateTime,
  lastUsedAt: Nullable(DateTime),
  revokedAt: Nullable(DateTime),
})

/** A registered project. */
export const Project = Type.Object({
  id: { ...Uuid, description: 'Also its `client_id`.' },
  name: Type.String(),
  description: Nullable(Type.String()),
  isActive: Type.Boolean(),
  isInternal: Type.Boolean(),
  redirectUris: Type.Array(Type.String()),
  webhookUrl: Nullable(Type.String({ description: 'Masked after the host: the address is a credential.' })),
  apiKey: ApiKeyInfo,
  serverAccess: Type.Array(AccessMapping),
  createdAt: DateTime,
  updatedAt: DateTime,
})

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  // Something to see, and nothing that breaks a line.
  pattern: '^(?=.*[^\\p{C}\\p{Z}])[^\\p{Cc}]*$',
  description: 'Unique among projects, ignoring case. Not blank, without control characters.',
})

const Description = Type.String({ maxLength: 2_000 })

const WebhookUrl = Type.String({
  maxLength: 512,
  pattern: '^https?://[^\\s/?#@\\\\]+/api(/v[0-9]{1,2})?/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]+$',
  description: 'A webhook of the chat platform. Stored encrypted; only its host is shown again.',
})

const ServerAccess = Type.Array(Closed({ serverId: Snowflake, scopes: Type.Optional(Scopes) }), {
  maxItems: 100,
  description: 'Left out: all scopes on every main server. Empty: none.',
})

const InboundWebhook = Closed({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  schema: Type.Object({}),
  slug: Type.Optional(Type.String({ maxLength: 64 })),
  acceptedOrigins: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100 })),
  allowedRoleIds: Type.Optional(Type.Array(Snowflake, { maxItems: 100 })),
})

export const listProjects = endpoint({
  method: 'GET',
  path: '/api/admin/projects',
  tag,
  summary: 'List projects, newest first',
  auth: 'admin',
  query: Closed({
    isActive: Type.Optional(Type.Boolean()),
    isInternal: Type.Optional(Type.Boolean()),
    name: Type.Optional(Type.String({ maxLength: 100, description: 'Part of the name, in any case.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 10_000 })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: 0 })),
  }),
  answers: { 200: Type.Object({ data: Type.Array(Project), total: Type.Integer() }) },
  refuses: [],
})

export const createProject = endpoint({
  method: 'POST',
  path: '/api/admin/projects',
  tag,
  summary: 'Register a project',
  description: 'The API key is in this answer and nowhere else: only its digest is stored.',
  auth: 'admin',
  body: Closed({
    name: Name,
    description: Type.Optional(Description),
    isActive: Type.Optional(Type.Boolean({ default: true })),
    isInternal: Type.Optional(
      Type.Boolean({ default: false, description: 'Of the platform itself: it has the main server.' }),
    ),
    serverAccess: Type.Optional(ServerAccess),
    webhookUrl: Type.Optional(WebhookUrl),
    inboundWebhook: Type.Optional(InboundWebhook),
  }),
  answers: { 201: Type.Object({ project: Project, apiKey: Type.String() }) },
  refuses: ['PROJECT_NAME_TAKEN', 'OUTBOUND_KEY_MISSING'],
})

const params = Closed({ id: Uuid })

export const readProject = endpoint({
  method: 'GET',
  path: '/api/admin/projects/{id}',
  tag,
  summary: 'Read one project',
  auth: 'admin',
  params,
  answers: { 200: Project },
  refuses: ['PROJECT_NOT_FOUND', 'SECRET_UNREADABLE'],
})

export const updateProject = endpoint({
  method: 'PATCH',
  path: '/api/admin/projects/{id}',
  tag,
  summary: 'Change a project',
  description:
    'What is left out stays as it is; null clears. An inactive project is refused everywhere at once.',
  auth: 'admin',
  params,
  body: Closed({
    name: Type.Optional(Name),
    description: Type.Optional(Nullable(Description)),
    isActive: Type.Optional(Type.Boolean()),
    isInternal: Type.Optional(Type.Boolean()),
    webhookUrl: Type.Optional(Nullable(WebhookUrl)),
  }),
  answers: { 200: Project },
  refuses: ['PROJECT_NOT_FOUND', 'PROJECT_NAME_TAKEN', 'OUTBOUND_KEY_MISSING'],
})

export const deleteProject = endpoint({
  method: 'DELETE',
  path: '/api/admin/projects/{id}',
  tag,
  summary: 'Delete a project',
  description: 'Its key and sessions die at once, its name is free again, and its audit history stays.',
  auth: 'admin',
  params,
  answers: { 204: null },
  refuses: ['PROJECT_NOT_FOUND'],
})

export const readApiKey = endpoint({
  method: 'GET',
  path: '/api/admin/projects/{id}/api-key',
  tag,
  summary: 'Read what is known of a project’s API key',
  auth: 'admin',
  params,
  answers: { 200: ApiKeyInfo },
  refuses: ['PROJECT_NOT_FOUND'],
})

export const revokeApiKey = endpoint({
  method: 'DELETE',
  path: '/api/admin/projects/{id}/key',
  tag,
  summary: 'Revoke the API key of a project',
  description: 'Effective for the next request on every instance. A key that is revoked already stays so.',
  auth: 'admin',
  params,
  answers: { 204: null },
  refuses: ['PROJECT_NOT_FOUND'],
})

export const restoreApiKey = endpoint({
  method: 'POST',
  path: '/api/admin/projects/{id}/restore-key',
  tag,
  summary: 'Bring back the newest API key of a project after it was revoked',
  auth: 'admin',
  params,
  answers: { 204: null },
  refuses: ['PROJECT_NOT_FOUND', 'NO_REVOKED_KEY'],
})

export const regenerateApiKey = endpoint({
  method: 'POST',
  path: '/api/admin/projects/{id}/regenerate-api-key',
  tag,
  summary: 'Give a project a new API key',
  description: 'The old key never works again. The new one is in this answer and nowhere else.',
  auth: 'admin',
  params,
  answers: {
    200: Type.Object({ apiKey: Type.String(), prefix: Type.String(), createdAt: DateTime }),
  },
  refuses: ['PROJECT_NOT_FOUND'],
})

export const updateRedirectUris = endpoint({
  method: 'PATCH',
  path: '/api/admin/projects/{id}/redirect-uri',
  tag,
  summary: 'Replace the redirect URIs of a project',
  description:
    'One URI or a comma-separated list, at most 20. Absolute https, http for loopback hosts only, or a ' +
    'private-use scheme with a dot; no fragment, user or wildcard. One bad entry refuses the list.',
  auth: 'admin',
  params,
  body: Closed({ redirectUri: Type.String({ maxLength: 50_000 }) }),
  answers: { 200: Project },
  refuses: ['PROJECT_NOT_FOUND'],
})

export type ApiKeyInfo = Static<typeof ApiKeyInfo>
export type Project = Static<typeof Project>
export type CreateProject = Static<typeof createProject.body>
export type UpdateProject = Static<typeof updateProject.body>
