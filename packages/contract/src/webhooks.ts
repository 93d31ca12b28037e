import { type Static, Type } from 'typebox'
import { ChangeQuery, DryRun } from './dry-run.ts'
import { endpoint, maxBodyLimit } from './endpoint.ts'
import { Closed, DateTime, IdOrName, Nullable, Snowflake, Uuid } from './formats.ts'
import { Name } from './names.ts'
import { patterns } from './patterns.ts'
import { MoreProblems, ProblemDetail } from './problem.ts'

const tag = 'Inbound webhooks'

const Slug = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: patterns.slug.pattern,
  description: 'Unique within the project.',
})

const JsonSchema = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'JSON Schema 2020-12, at most 64 KiB. `$ref` stays within the schema, `format` is asserted, and `pattern` ' +
    'is RE2 syntax without look-around and back-references, with at most 2,000 instructions, and 12,000 per schema. ' +
    'Numbers must fit every JSON reader. `$id`, `$dynamicRef`, and unknown keywords are rejected. `x-…` is ignored.',
})

const Origins = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: 50,
  uniqueItems: true,
  description:
    'Such as `https://site.example`. If the list is not empty, each submission must send one of them as its `Origin`.',
})

const RoleIds = Type.Array(Snowflake, {
  maxItems: 100,
  uniqueItems: true,
  description: 'Members with one of these roles can read the submissions.',
})

/** An inbound webhook: an address of a project that accepts JSON of one schema. Its secret is not included. */
export const InboundWebhook = Type.Object({
  id: Uuid,
  projectId: Uuid,
  name: Type.String(),
  slug: Type.String(),
  schema: JsonSchema,
  acceptedOrigins: Type.Array(Type.String()),
  allowedRoleIds: Type.Array(Snowflake),
  isActive: Type.Boolean(),
  requireSignature: Type.Boolean(),
  secretSetAt: DateTime,
  createdAt: DateTime,
  updatedAt: DateTime,
  submissionCount: Type.Integer(),
  lastSubmissionAt: Nullable(DateTime),
})

const Secret = Type.String({
  description: 'Signs submissions. The HMAC key is the whole text. Shown only once.',
})

/** A new webhook, with its secret. */
export const CreatedInboundWebhook = Type.Object({ ...InboundWebhook.properties, secret: Secret })

/** The webhook that a new project may start with. */
export const ProjectInboundWebhook = Closed({
  name: Name,
  schema: JsonSchema,
  slug: Type.Optional(Slug),
  acceptedOrigins: Type.Optional(Origins),
  allowedRoleIds: Type.Optional(RoleIds),
})

const CreateWebhook = Closed({
  ...ProjectInboundWebhook.properties,
  isActive: Type.Optional(Type.Boolean()),
  requireSignature: Type.Optional(Type.Boolean()),
})

const UpdateWebhook = Closed({
  name: Type.Optional(Name),
  schema: Type.Optional(JsonSchema),
  slug: Type.Optional(Slug),
  acceptedOrigins: Type.Optional(Origins),
  allowedRoleIds: Type.Optional(RoleIds),
  isActive: Type.Optional(Type.Boolean()),
  requireSignature: Type.Optional(Type.Boolean()),
})

/** One accepted payload, as it was sent. */
export const Submission = Type.Object({
  id: Uuid,
  receivedAt: DateTime,
  isSigned: Type.Boolean({ description: 'The submission had a valid signature.' }),
  origin: Nullable(Type.String()),
  payload: Type.Unknown({
    description:
      'The payload as it was sent. If it may contain long numbers, read it with a parser that preserves them.',
  }),
})

const Period = {
  dateFrom: Type.Optional({ ...DateTime, description: 'Start of the period, inclusive.' }),
  dateTo: Type.Optional({
    ...DateTime,
    description: 'End of the period, inclusive. A date without a time includes that whole day in UTC.',
  }),
}

const SubmissionQuery = Closed({
  ...Period,
  cursor: Type.Optional({ ...Uuid, description: '`nextCursor` of the previous page.' }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
})

const SubmissionPage = Type.Object({
  data: Type.Array(Submission, { description: 'Newest first. Fewer than `limit` if they are large.' }),
  nextCursor: Nullable(Uuid),
})

const Webhooks = Type.Object({ data: Type.Array(InboundWebhook), total: Type.Integer() })
const NewSecret = Type.Object({ secret: Secret })

/**
 * The maximum body that creates or changes a webhook, in bytes. An indented schema of 64 KiB and its lists fit into it.
 */
export const webhookBodyLimit = 128 * 1024

const adminPath = '/api/admin/projects/{projectId}/inbound-webhooks'
const OfProject = Closed({ projectId: Uuid })
const OneOfProject = Closed({ projectId: Uuid, webhookId: Uuid })

/** Lists the inbound webhooks of a project. Refuses with PROJECT_NOT_FOUND. */
export const listWebhooks = endpoint({
  method: 'GET',
  path: adminPath,
  tag,
  summary: 'List inbound webhooks of a project, newest first',
  auth: 'admin',
  owners: 'projectId',
  params: OfProject,
  answers: { 200: Webhooks },
  refuses: ['PROJECT_NOT_FOUND'],
})

/**
 * Creates an inbound webhook and returns its secret, once. Refuses with PROJECT_NOT_FOUND, WEBHOOK_LIMIT_REACHED,
 * WEBHOOK_SLUG_TAKEN, ENCRYPTION_KEY_MISSING.
 */
export const createWebhook = endpoint({
  method: 'POST',
  path: adminPath,
  tag,
  summary: 'Create an inbound webhook',
  description: 'Its secret is only in this response. Without a slug, one is derived from the name.',
  auth: 'admin',
  owners: 'projectId',
  params: OfProject,
  body: CreateWebhook,
  bodyLimit: webhookBodyLimit,
  answers: { 201: CreatedInboundWebhook },
  refuses: [
    'PROJECT_NOT_FOUND',
    'WEBHOOK_LIMIT_REACHED',
    'WEBHOOK_SLUG_TAKEN',
    'ENCRYPTION_KEY_MISSING',
    'RATE_LIMITED',
  ],
})

/** Returns one inbound webhook. Refuses with WEBHOOK_NOT_FOUND. */
export const getWebhook = endpoint({
  method: 'GET',
  path: `${adminPath}/{webhookId}`,
  tag,
  summary: 'One inbound webhook',
  auth: 'admin',
  owners: 'projectId',
  params: OneOfProject,
  answers: { 200: InboundWebhook },
  refuses: ['WEBHOOK_NOT_FOUND'],
})

/** Changes an inbound webhook. Refuses with WEBHOOK_NOT_FOUND, WEBHOOK_SLUG_TAKEN. */
export const updateWebhook = endpoint({
  method: 'PATCH',
  path: `${adminPath}/{webhookId}`,
  tag,
  summary: 'Change an inbound webhook',
  description: 'Omitted fields keep their values. The change applies to the next submission.',
  auth: 'admin',
  owners: 'projectId',
  params: OneOfProject,
  query: ChangeQuery,
  body: UpdateWebhook,
  bodyLimit: webhookBodyLimit,
  answers: { 200: Type.Union([InboundWebhook, DryRun]) },
  refuses: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_SLUG_TAKEN', 'RATE_LIMITED'],
})

/** Deletes an inbound webhook with its submissions. Refuses with WEBHOOK_NOT_FOUND. */
export const deleteWebhook = endpoint({
  method: 'DELETE',
  path: `${adminPath}/{webhookId}`,
  tag,
  summary: 'Delete an inbound webhook and its submissions',
  auth: 'admin',
  owners: 'projectId',
  params: OneOfProject,
  query: ChangeQuery,
  answers: { 200: DryRun, 204: null },
  refuses: ['WEBHOOK_NOT_FOUND'],
})

/** Replaces the signing secret and returns it, once. Refuses with WEBHOOK_NOT_FOUND, ENCRYPTION_KEY_MISSING. */
export const rotateSecret = endpoint({
  method: 'POST',
  path: `${adminPath}/{webhookId}/rotate-secret`,
  tag,
  summary: 'Replace the signing secret',
  description: 'The old secret stops working immediately.',
  auth: 'admin',
  owners: 'projectId',
  params: OneOfProject,
  answers: { 200: NewSecret },
  refuses: ['WEBHOOK_NOT_FOUND', 'ENCRYPTION_KEY_MISSING'],
})

/** The result that a submission of a payload would have. */
const TriedPayload = Type.Object({
  valid: Type.Boolean(),
  errors: Type.Array(ProblemDetail, {
    description:
      'All problems by their path in the payload, or below `/schema` in the draft, or the first ones that fit into 64 KiB.',
  }),
  more: MoreProblems,
})

/** Validates a payload against the schema. Refuses with WEBHOOK_NOT_FOUND, RATE_LIMITED. */
export const tryPayload = endpoint({
  method: 'POST',
  path: `${adminPath}/{webhookId}/try`,
  tag,
  summary: 'Validate a payload against the schema without storing it',
  description:
    'The result is the same as for `submit`. With `schema`, the draft is used instead of the stored schema, for an editor.',
  auth: 'admin',
  owners: 'projectId',
  isRead: true,
  params: OneOfProject,
  // A payload may have half of this size: inside a JSON string, each quote takes two characters. A schema may be added.
  bodyLimit: 256 * 1024,
  body: Closed({
    payload: Type.String({ maxLength: 131_072, description: 'The JSON text as it would be sent.' }),
    schema: Type.Optional(JsonSchema),
  }),
  answers: { 200: TriedPayload },
  refuses: ['WEBHOOK_NOT_FOUND', 'RATE_LIMITED'],
})

/** Lists submissions, newest first, by cursor. Refuses with WEBHOOK_NOT_FOUND. */
export const listSubmissions = endpoint({
  method: 'GET',
  path: `${adminPath}/{webhookId}/submissions`,
  tag,
  summary: 'List submissions of an inbound webhook, newest first',
  auth: 'admin',
  owners: 'projectId',
  params: OneOfProject,
  query: SubmissionQuery,
  answers: { 200: SubmissionPage },
  refuses: ['WEBHOOK_NOT_FOUND'],
})

/** Exports submissions as CSV. Refuses with WEBHOOK_NOT_FOUND, and a third concurrent download with RATE_LIMITED. */
export const exportSubmissions = endpoint({
  method: 'GET',
  path: `${adminPath}/{webhookId}/submissions/export`,
  tag,
  summary: 'Download submissions as CSV',
  description:
    'Creates an audit entry. An admin can run two downloads at a time on an instance. A third is rejected with 429.',
  auth: 'admin',
  owners: 'projectId',
  params: OneOfProject,
  query: Closed(Period),
  answers: { 200: { download: ['text/csv'], row: Submission } },
  refuses: ['WEBHOOK_NOT_FOUND', 'RATE_LIMITED'],
})

const ownPath = '/api/inbound-webhooks'
const IdOrSlug = Closed({
  id: { ...IdOrName, description: 'ID or slug of the webhook.' },
})
const byKey = 'With the API key, if a mapping of the project grants `MANAGE_WEBHOOKS`.'

/** Like `listWebhooks`, for the calling project. Refuses with OPERATION_REQUIRED. */
export const listOwnWebhooks = endpoint({
  method: 'GET',
  path: ownPath,
  tag,
  summary: 'List inbound webhooks of the calling project, newest first',
  description: byKey,
  auth: 'projectKey',
  needs: 'MANAGE_WEBHOOKS',
  answers: { 200: Webhooks },
  refuses: ['OPERATION_REQUIRED'],
})

/** Like `createWebhook`, for the calling project. Also refuses with OPERATION_REQUIRED. */
export const createOwnWebhook = endpoint({
  method: 'POST',
  path: ownPath,
  tag,
  summary: 'Create an inbound webhook of the calling project',
  description: byKey,
  auth: 'projectKey',
  needs: 'MANAGE_WEBHOOKS',
  body: CreateWebhook,
  bodyLimit: webhookBodyLimit,
  answers: { 201: CreatedInboundWebhook },
  refuses: [
    'OPERATION_REQUIRED',
    'WEBHOOK_LIMIT_REACHED',
    'WEBHOOK_SLUG_TAKEN',
    'ENCRYPTION_KEY_MISSING',
    'RATE_LIMITED',
  ],
})

/** Like `getWebhook`, for the calling project, by ID or slug. Also refuses with OPERATION_REQUIRED. */
export const getOwnWebhook = endpoint({
  method: 'GET',
  path: `${ownPath}/{id}`,
  tag,
  summary: 'One inbound webhook of the calling project',
  description: byKey,
  auth: 'projectKey',
  needs: 'MANAGE_WEBHOOKS',
  params: IdOrSlug,
  answers: { 200: InboundWebhook },
  refuses: ['OPERATION_REQUIRED', 'WEBHOOK_NOT_FOUND'],
})

/** Like `updateWebhook`, for the calling project, by ID or slug. Also refuses with OPERATION_REQUIRED. */
export const updateOwnWebhook = endpoint({
  method: 'PATCH',
  path: `${ownPath}/{id}`,
  tag,
  summary: 'Change an inbound webhook of the calling project',
  description: byKey,
  auth: 'projectKey',
  needs: 'MANAGE_WEBHOOKS',
  params: IdOrSlug,
  body: UpdateWebhook,
  bodyLimit: webhookBodyLimit,
  answers: { 200: InboundWebhook },
  refuses: ['OPERATION_REQUIRED', 'WEBHOOK_NOT_FOUND', 'WEBHOOK_SLUG_TAKEN', 'RATE_LIMITED'],
})

/** Like `deleteWebhook`, for the calling project, by ID or slug. Also refuses with OPERATION_REQUIRED. */
export const deleteOwnWebhook = endpoint({
  method: 'DELETE',
  path: `${ownPath}/{id}`,
  tag,
  summary: 'Delete an inbound webhook of the calling project',
  description: byKey,
  auth: 'projectKey',
  needs: 'MANAGE_WEBHOOKS',
  params: IdOrSlug,
  answers: { 204: null },
  refuses: ['OPERATION_REQUIRED', 'WEBHOOK_NOT_FOUND'],
})

/** Like `rotateSecret`, for the calling project, by ID or slug. Also refuses with OPERATION_REQUIRED. */
export const rotateOwnSecret = endpoint({
  method: 'POST',
  path: `${ownPath}/{id}/rotate-secret`,
  tag,
  summary: 'Replace the signing secret of an inbound webhook of the calling project',
  description: byKey,
  auth: 'projectKey',
  needs: 'MANAGE_WEBHOOKS',
  params: IdOrSlug,
  answers: { 200: NewSecret },
  refuses: ['OPERATION_REQUIRED', 'WEBHOOK_NOT_FOUND', 'ENCRYPTION_KEY_MISSING'],
})

/**
 * Accepts a payload. Refuses with WEBHOOK_NOT_FOUND, WEBHOOK_INACTIVE, ORIGIN_NOT_ALLOWED. Refuses an invalid signature
 * with SIGNATURE_INVALID, SIGNATURE_REPLAYED, SECRET_UNREADABLE, ENCRYPTION_KEY_MISSING; an invalid payload with
 * UNSUPPORTED_MEDIA_TYPE, MALFORMED_JSON, PAYLOAD_TOO_LARGE, PAYLOAD_INVALID; and a reused key with
 * IDEMPOTENCY_KEY_REUSED.
 */
export const submit = endpoint({
  method: 'POST',
  path: `${ownPath}/{id}/submit`,
  tag,
  summary: 'Submit a payload',
  description:
    'The body is JSON that matches the schema of the webhook, at most 256 KiB. All problems are returned at once. The ' +
    'body is stored exactly as sent, durably before the response. Duplicate keys in an object are rejected. The signature ' +
    'covers the raw bytes: ' +
    '`t=<unix seconds>,v1=<hex HMAC-SHA-256 of "t.<raw body>">`, at most 300 s old, with one or several `v1`, and valid ' +
    'once. `detail` names the problem. An `Idempotency-Key` is stored for 24 h: a repeated request gets the first ' +
    'response.',
  auth: 'projectKey',
  bodyLimit: maxBodyLimit,
  params: IdOrSlug,
  headers: Type.Object({
    'X-SVC-Signature': Type.Optional(
      Type.String({
        description: 'Required if the webhook has `requireSignature`. Checked whenever it is sent.',
      }),
    ),
    'Idempotency-Key': Type.Optional(Type.String({ description: '1 to 255 printable ASCII characters.' })),
    Origin: Type.Optional(Type.String({ description: 'Required if the webhook has `acceptedOrigins`.' })),
  }),
  payload: Type.Unknown({ description: 'Any JSON that matches the schema of the webhook, at most 256 KiB.' }),
  answers: { 201: Type.Object({ id: Uuid, receivedAt: DateTime }) },
  refuses: [
    'WEBHOOK_NOT_FOUND',
    'WEBHOOK_INACTIVE',
    'ORIGIN_NOT_ALLOWED',
    'SIGNATURE_INVALID',
    'UNSUPPORTED_MEDIA_TYPE',
    'MALFORMED_JSON',
    'PAYLOAD_TOO_LARGE',
    'PAYLOAD_INVALID',
    'IDEMPOTENCY_KEY_REUSED',
    'SIGNATURE_REPLAYED',
    'SECRET_UNREADABLE',
    'ENCRYPTION_KEY_MISSING',
  ],
})

/**
 * Returns submissions to a member with one of the allowed roles. Refuses with WEBHOOK_NOT_FOUND, ROLE_REQUIRED,
 * CHAT_PLATFORM_UNAVAILABLE.
 */
export const readSubmissions = endpoint({
  method: 'GET',
  path: `${ownPath}/{id}/submissions`,
  tag,
  summary: 'Read submissions as a member',
  description:
    'With a session token, for members who currently hold one of `allowedRoleIds` in the server of their session.',
  auth: 'session',
  params: IdOrSlug,
  query: SubmissionQuery,
  answers: { 200: SubmissionPage },
  refuses: ['WEBHOOK_NOT_FOUND', 'ROLE_REQUIRED', 'CHAT_PLATFORM_UNAVAILABLE'],
})

export type InboundWebhook = Static<typeof InboundWebhook>
export type CreatedInboundWebhook = Static<typeof CreatedInboundWebhook>
export type CreateWebhook = Static<typeof CreateWebhook>
/** A payload to validate, and a schema if it differs from the stored one. */
export type TryPayload = Static<(typeof tryPayload)['body']>
export type UpdateWebhook = Static<typeof UpdateWebhook>
export type SubmissionQuery = Static<typeof SubmissionQuery>
