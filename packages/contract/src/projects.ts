import { type Static, Type } from 'typebox'
import { AccessMapping, Scope } from './access.ts'
import { NewOwners, Owners } from './administrators.ts'
import { ApiKeyInfo } from './api-keys.ts'
import { Branding, BrandingInput } from './branding.ts'
import { ChangeQuery, DryRun } from './dry-run.ts'
import { endpoint } from './endpoint.ts'
import { EventsSecret, EventsUrl, eventsRecord } from './event-address.ts'
import { Closed, DateTime, Nullable, Snowflake, Uuid } from './formats.ts'
import { ForwardAuth, ForwardAuthInput } from './forward-auth.ts'
import { GroupNames, GroupNamesInput, OnlyNamedGroups } from './groups.ts'
import { Name } from './names.ts'
import { OidcClient, OidcClientInput } from './oidc.ts'
import { CreatedInboundWebhook, ProjectInboundWebhook, webhookBodyLimit } from './webhooks.ts'

const tag = 'Projects'

/** A project as administrators see it. Its key and its webhook address are always abbreviated. */
export const Project = Type.Object({
  id: Uuid,
  name: Type.String(),
  description: Nullable(Type.String()),
  isActive: Type.Boolean(),
  isInternal: Type.Boolean({ description: 'True if the project always has READ in the main server.' }),
  branding: Branding,
  redirectUris: Type.Array(Type.String({ pattern: '^[\\x21-\\x7e]+$' })),
  webhookUrl: Nullable(
    Type.String({ description: 'The address of the channel webhook, masked after the host.' }),
  ),
  ...eventsRecord,
  owners: Owners,
  forwardAuth: ForwardAuth,
  groupNames: GroupNames,
  onlyNamedGroups: OnlyNamedGroups,
  apiKey: ApiKeyInfo,
  serverAccess: Type.Array(AccessMapping),
  oidc: OidcClient,
  createdAt: DateTime,
  updatedAt: DateTime,
})

const Description = Type.String({ maxLength: 2000 })
const WebhookUrl = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'The address of a webhook of a Discord channel, for notices.',
})

/** A new project. Only the name is required. It is active by default. */
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
  eventsUrl: Type.Optional(EventsUrl),
  owners: Type.Optional(NewOwners),
  forwardAuth: Type.Optional(ForwardAuthInput),
  groupNames: Type.Optional(GroupNamesInput),
  onlyNamedGroups: Type.Optional(OnlyNamedGroups),
  inboundWebhook: Type.Optional(ProjectInboundWebhook),
  oidc: Type.Optional(OidcClientInput),
})

/** Changes of a project. Omitted fields keep their values, null clears them. */
export const UpdateProject = Closed({
  name: Type.Optional(Name),
  description: Type.Optional(Nullable(Description)),
  isActive: Type.Optional(Type.Boolean()),
  isInternal: Type.Optional(Type.Boolean()),
  branding: Type.Optional(BrandingInput),
  webhookUrl: Type.Optional(Nullable(WebhookUrl)),
  eventsUrl: Type.Optional(Nullable(EventsUrl)),
  owners: Type.Optional(NewOwners),
  forwardAuth: Type.Optional(ForwardAuthInput),
  groupNames: Type.Optional(GroupNamesInput),
  onlyNamedGroups: Type.Optional(OnlyNamedGroups),
  oidc: Type.Optional(OidcClientInput),
})

const ProjectId = Closed({ id: Uuid })

/** Lists projects, newest first, at most 500. */
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
      Type.String({ minLength: 1, maxLength: 100, description: 'Part of the name, case-insensitive.' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 500 })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
  }),
  answers: { 200: Type.Object({ data: Type.Array(Project), total: Type.Integer() }) },
  refuses: [],
})

/**
 * Registers a project and returns its key, once. Refuses with PROJECT_NAME_TAKEN, HOST_TAKEN, RESOURCE_TAKEN,
 * ENCRYPTION_KEY_MISSING.
 */
export const createProject = endpoint({
  method: 'POST',
  path: '/api/admin/projects',
  tag,
  summary: 'Create a project',
  description:
    'Only this response contains the API key. If you omit `serverAccess`, the project has access to the main ' +
    'server with all scopes. With an empty list, it has access to no server.',
  auth: 'admin',
  body: CreateProject,
  bodyLimit: webhookBodyLimit,
  answers: {
    201: Type.Object({
      project: Project,
      apiKey: Type.String(),
      inboundWebhook: Type.Optional(CreatedInboundWebhook),
      eventsSecret: EventsSecret,
    }),
  },
  refuses: ['HOST_TAKEN', 'RESOURCE_TAKEN', 'PROJECT_NAME_TAKEN', 'ENCRYPTION_KEY_MISSING', 'RATE_LIMITED'],
})

/** Returns one project. Refuses with PROJECT_NOT_FOUND, SECRET_UNREADABLE, ENCRYPTION_KEY_MISSING. */
export const getProject = endpoint({
  method: 'GET',
  path: '/api/admin/projects/{id}',
  tag,
  summary: 'Read a project',
  auth: 'admin',
  owners: 'id',
  description:
    'If `webhookUrl` was encrypted with another key, the error is `SECRET_UNREADABLE`: set it again. If the ' +
    'service has no key, the error is `ENCRYPTION_KEY_MISSING`.',
  params: ProjectId,
  answers: { 200: Project },
  refuses: ['PROJECT_NOT_FOUND', 'SECRET_UNREADABLE', 'ENCRYPTION_KEY_MISSING'],
})

/**
 * Changes a project. Refuses with PROJECT_NOT_FOUND, PROJECT_NAME_TAKEN, HOST_TAKEN, RESOURCE_TAKEN,
 * ENCRYPTION_KEY_MISSING.
 */
export const updateProject = endpoint({
  method: 'PATCH',
  path: '/api/admin/projects/{id}',
  tag,
  summary: 'Change a project',
  description:
    'Omitted fields keep their values, and null clears them. While a project is inactive, members cannot ' +
    'sign in to it, and it cannot check sessions.',
  auth: 'admin',
  owners: 'id',
  ownerFields: ['description', 'branding', 'webhookUrl', 'eventsUrl'],
  params: ProjectId,
  query: ChangeQuery,
  body: UpdateProject,
  bodyLimit: 192 * 1024,
  answers: {
    200: Type.Union([Type.Object({ ...Project.properties, eventsSecret: EventsSecret }), DryRun]),
  },
  refuses: [
    'PROJECT_NOT_FOUND',
    'PROJECT_NAME_TAKEN',
    'HOST_TAKEN',
    'RESOURCE_TAKEN',
    'ENCRYPTION_KEY_MISSING',
  ],
})

/** Deletes a project, and ends its keys and its sessions. Refuses with PROJECT_NOT_FOUND. */
export const deleteProject = endpoint({
  method: 'DELETE',
  path: '/api/admin/projects/{id}',
  tag,
  summary: 'Delete a project',
  description: 'The keys and sessions of the project end immediately. Its audit log entries stay.',
  auth: 'admin',
  params: ProjectId,
  query: ChangeQuery,
  answers: { 200: DryRun, 204: null },
  refuses: ['PROJECT_NOT_FOUND'],
})

const RedirectUri = Type.String({ minLength: 1, maxLength: 2048 })

/** Replaces the list of redirect URIs. Refuses with PROJECT_NOT_FOUND. */
export const setRedirectUris = endpoint({
  method: 'PATCH',
  path: '/api/admin/projects/{id}/redirect-uri',
  tag,
  summary: 'Set the redirect URIs',
  description: 'Replaces the whole list. Send one URI, or several separated by commas: at most 20, in ASCII.',
  auth: 'admin',
  owners: 'id',
  params: ProjectId,
  body: Closed({ redirectUri: Type.String({ minLength: 1, maxLength: 65_536 }) }),
  bodyLimit: 128 * 1024,
  answers: { 200: Project },
  refuses: ['PROJECT_NOT_FOUND'],
})

/** Adds one redirect URI to the list. Refuses with PROJECT_NOT_FOUND. */
export const addRedirectUri = endpoint({
  method: 'POST',
  path: '/api/admin/projects/{id}/redirect-uris',
  tag,
  summary: 'Add a redirect URI',
  description:
    'The other redirect URIs stay. Returns 201 if the URI is new, and 200 if the project already has it. A ' +
    'project can have 20 redirect URIs, in ASCII.',
  auth: 'admin',
  owners: 'id',
  params: ProjectId,
  body: Closed({ uri: RedirectUri }),
  answers: { 200: Project, 201: Project },
  refuses: ['PROJECT_NOT_FOUND'],
})

/** Removes one redirect URI from the list. Refuses with PROJECT_NOT_FOUND, REDIRECT_URI_NOT_FOUND. */
export const removeRedirectUri = endpoint({
  method: 'DELETE',
  path: '/api/admin/projects/{id}/redirect-uris',
  tag,
  summary: 'Remove a redirect URI',
  description:
    'The other redirect URIs stay, and sessions continue. A sign-in that started with this URI ends on an ' +
    'error page.',
  auth: 'admin',
  owners: 'id',
  params: ProjectId,
  query: Closed({ uri: RedirectUri }),
  answers: { 204: null },
  refuses: ['PROJECT_NOT_FOUND', 'REDIRECT_URI_NOT_FOUND'],
})

export type Project = Static<typeof Project>
export type CreateProject = Static<typeof CreateProject>
export type UpdateProject = Static<typeof UpdateProject>
